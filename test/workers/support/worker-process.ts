import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { eventually } from './eventually.js';

const DIST = process.env['TEST_DIST'] ?? path.resolve('dist');

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface OpsAnswer {
  readonly status: number;
  readonly body: string;
}

/** GET on the ops listener of a process, whose port is in what it wrote. */
export async function askOps(output: string, pathname: string): Promise<OpsAnswer> {
  const port = /"port":(\d+),"msg":"ops listener ready"/.exec(output)?.[1];
  if (port === undefined) throw new Error(`no ops listener:\n${output}`);
  const response = await fetch(`http://127.0.0.1:${port}${pathname}`);
  return { status: response.status, body: await response.text() };
}

/** A program of `dist`: the bundle, or its modules, which import packages as a preload has changed them. */
export type WorkerProgram = 'workers/main.js' | 'modules/workers/main.js';

/** A real worker process from the build, with a port for its ops listener that nobody else has. */
export class WorkerProcess {
  /** Once all that it wrote is in its log. */
  readonly exited: Promise<ProcessEnd>;
  private output = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
    // `close` comes after the last output, `exit` may not
    this.exited = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  }

  static spawn(
    environment: Readonly<Record<string, string>>,
    program: WorkerProgram = 'workers/main.js',
    dist = DIST,
  ): WorkerProcess {
    const child = spawn(process.execPath, [path.join(dist, program)], {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'test',
        OPS_PORT: '0',
        LOG_LEVEL: 'info',
        HEARTBEAT_INTERVAL: '1s',
        DATABASE_POOL_SIZE: '4',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new WorkerProcess(child);
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
    await eventually('a worker that is ready', 150_000, () => {
      if (!this.running) throw new Error(`the worker ended early:\n${this.output}`);
      return this.output.includes('"worker ready"');
    });
  }

  /** GET on the ops listener. */
  async ops(pathname: string): Promise<OpsAnswer> {
    return await askOps(this.output, pathname);
  }

  /** The first answer with this status: on a busy machine a check of a server may take longer than its limit once. */
  async untilOps(pathname: string, status: number): Promise<OpsAnswer> {
    return await eventually(`${pathname} to answer ${status}`, 30_000, async () => {
      const answer = await this.ops(pathname);
      return answer.status === status && answer;
    });
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
