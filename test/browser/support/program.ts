import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const DIST = process.env['TEST_DIST'] ?? path.resolve('dist');
const START_MS = 150_000;
const STOP_MS = 22_000;

/** A program of the build, run as operators run it: a process of its own that is ended by its number. */
export class Program {
  private output = '';
  private readonly ended: Promise<number | null>;

  private constructor(
    private readonly name: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
    // `close` comes after the last output, `exit` may not
    this.ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
  }

  private static spawn(
    name: string,
    environment: Readonly<Record<string, string>>,
    args: readonly string[] = [],
  ): Program {
    const child = spawn(process.execPath, [path.join(DIST, `${name}.js`), ...args], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Program(name, child);
  }

  /**
   * Runs a command to its end; anything but exit code 0 is a failure.
   * @param name path in `dist`, without `.js`
   */
  static async run(
    name: string,
    environment: Readonly<Record<string, string>>,
    args: readonly string[] = [],
  ): Promise<void> {
    const program = Program.spawn(name, environment, args);
    const code = await program.ended;
    if (code !== 0) throw new Error(`${name} ended with ${code}:\n${program.output}`);
  }

  /** Starts a program that stays. */
  static start(name: string, environment: Readonly<Record<string, string>>): Program {
    return Program.spawn(name, environment);
  }

  /** What it has written so far. */
  get log(): string {
    return this.output;
  }

  /** Both mains say so in one line of their log. */
  async untilReady(): Promise<void> {
    const deadline = performance.now() + START_MS;
    while (!/"msg":"(?:api|worker) ready"/.test(this.output)) {
      if (this.child.exitCode !== null || performance.now() > deadline) {
        throw new Error(`${this.name} did not start:\n${this.output}`);
      }
      await sleep(25);
    }
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    await this.ended;
    clearTimeout(timer);
  }
}
