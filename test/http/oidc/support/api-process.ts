import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyFreePort } from '../../../../scripts/ports.mjs';

const MAIN = path.join(process.env['TEST_DIST'] ?? path.resolve('dist'), 'src/main.js');

export const isBuilt = existsSync(MAIN);

/** A real API process from the build, on a port of its own. */
export class ApiProcess {
  readonly ended: Promise<number | null>;
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
    // `close` comes after the last output, `exit` may not
    this.ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** What it wrote so far. */
  get log(): string {
    return this.output;
  }

  /** @param logLevel `info` or more talkative: readiness is told at that level */
  static async spawn(
    environment: Readonly<Record<string, string>>,
    logLevel: 'info' | 'debug' = 'info',
  ): Promise<ApiProcess> {
    const port = await anyFreePort();
    const child = spawn(process.execPath, [MAIN], {
      env: {
        PATH: process.env['PATH'],
        ...environment,
        LOG_LEVEL: logLevel,
        PORT: String(port),
        OPS_PORT: '0',
        DATABASE_POOL_SIZE: '4',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ApiProcess(child, `http://127.0.0.1:${port}`);
  }

  async untilReady(): Promise<void> {
    // six at once on two cores that do something else
    const deadline = performance.now() + 120_000;
    while (!this.output.includes('"api ready"')) {
      if (this.child.exitCode !== null || performance.now() > deadline) {
        throw new Error(`the API did not start:\n${this.output}`);
      }
      await sleep(50);
    }
  }

  /** GET on the ops listener. */
  async ops(pathname: string): Promise<string> {
    const port = /"port":(\d+),"msg":"ops listener ready"/.exec(this.output)?.[1];
    if (port === undefined) throw new Error(`no ops listener:\n${this.output}`);
    return await (await fetch(`http://127.0.0.1:${port}${pathname}`)).text();
  }

  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return await this.ended;
  }
}
