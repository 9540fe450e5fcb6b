import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { eventually } from './eventually.js';

const DIST = process.env['TEST_DIST'] ?? path.resolve('dist');

/** What a process without one of its own has, as those of the tests do. */
const DEVELOPMENT_MASTER_KEY = Buffer.from('development-master-key-not-secret')
  .subarray(0, 32)
  .toString('base64');

/** `identity` as somebody runs it in a terminal, from the build. */
export class IdentityProcess {
  out = '';
  err = '';
  /** The exit code; -1 for one that a signal ended. */
  readonly exited: Promise<number>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.err += text;
    });
    this.exited = new Promise((resolve) => child.once('close', (code) => resolve(code ?? -1)));
  }

  static run(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    stdin = '',
  ): IdentityProcess {
    const child = spawn(process.execPath, [path.join(DIST, 'src/cli/identity.js'), ...args], {
      env: {
        PATH: process.env['PATH'],
        IDENTITY_CONFIG: '',
        HOME: '/nowhere',
        // named, so that the settings of an `npm start` in this clone do not take its place
        MASTER_KEY: DEVELOPMENT_MASTER_KEY,
        ...environment,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin);
    return new IdentityProcess(child);
  }

  /** Waits for words of its progress. */
  async untilSaid(words: string, withinMs = 60_000): Promise<void> {
    await eventually(`"${words}" of identity`, withinMs, () => this.err.includes(words));
  }

  interrupt(): void {
    this.child.kill('SIGINT');
  }
}
