import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { anyFreePort } from '../../../scripts/ports.mjs';
import { eventually } from '../../workers/support/eventually.js';
import { askOps, type OpsAnswer } from '../../workers/support/worker-process.js';

const DIST = process.env['TEST_DIST'] ?? path.resolve('dist');

/** A real API process from the build, on the port that `PORT` names. */
export class ApiProcess {
  /** Once all that it wrote is in its log. */
  readonly exited: Promise<NodeJS.Signals | null>;
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly origin: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
    // `close` comes after the last output, `exit` may not
    this.exited = new Promise((resolve) => child.once('close', (_, signal) => resolve(signal)));
  }

  /** @param dist of another release than this one */
  static spawn(environment: Readonly<Record<string, string>>, dist = DIST): ApiProcess {
    const child = spawn(process.execPath, [path.join(dist, 'src/main.js')], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ApiProcess(child, `http://127.0.0.1:${environment['PORT']}`);
  }

  /** One of several on this machine. */
  static async beside(
    environment: Readonly<Record<string, string>>,
    overrides: Readonly<Record<string, string>> = {},
  ): Promise<ApiProcess> {
    const own = {
      LOG_LEVEL: 'info',
      HOST: '127.0.0.1',
      PORT: String(await anyFreePort()),
      DATABASE_POOL_SIZE: '4',
    };
    return ApiProcess.spawn({ ...environment, ...own, ...overrides });
  }

  get log(): string {
    return this.output;
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Null while it runs, and for one that a signal ended. */
  get exitCode(): number | null {
    return this.child.exitCode;
  }

  async untilReady(): Promise<void> {
    await eventually('an API that is ready', 150_000, () => {
      if (!this.running) throw new Error(`the API ended early:\n${this.output}`);
      return this.output.includes('"api ready"');
    });
  }

  /** GET on the ops listener. */
  async ops(pathname: string): Promise<OpsAnswer> {
    return await askOps(this.output, pathname);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** As a power cut would end it. */
  async kill(): Promise<void> {
    if (this.running) this.child.kill('SIGKILL');
    await this.exited;
  }
}
