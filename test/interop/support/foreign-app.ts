import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registered } from './stage.js';

const START_MS = 120_000;
const STOP_MS = 5_000;

export interface Start {
  /** Folder that `fetchOnce` prepared. */
  readonly cwd: string;
  readonly argv: readonly [string, ...string[]];
  readonly port: number;
  readonly redirectUri: string;
  readonly registered: Registered;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Somebody else's program, run as its own documentation says: a process of its own that is ended by its number. */
export class ForeignApp {
  private text = '';
  private failure: string | undefined;
  private readonly ended: Promise<void>;

  private constructor(
    readonly origin: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.text += text;
      });
    }
    child.once('error', (error) => {
      this.failure = error.message;
    });
    this.ended = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    });
  }

  /** Resolves when the program answers on its port; it is ended and its output told when it does not. */
  static async start({ cwd, argv, port, redirectUri, registered, environment }: Start): Promise<ForeignApp> {
    const [command, ...args] = argv;
    const origin = `http://localhost:${port}`;
    const child = spawn(command, args, {
      cwd,
      // a group of its own, so that what the program started ends with it
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...inherited(),
        ISSUER: registered.issuer,
        CLIENT_ID: registered.clientId,
        ...(registered.clientSecret === '' ? {} : { CLIENT_SECRET: registered.clientSecret }),
        PORT: String(port),
        REDIRECT_URI: redirectUri,
        ...environment,
      },
    });
    const app = new ForeignApp(origin, child);
    try {
      await app.untilItListens();
      return app;
    } catch (error) {
      await app.stop();
      throw error;
    }
  }

  /** What the program printed so far: its own errors stand here, not in its answers. */
  get output(): string {
    return this.text;
  }

  async stop(): Promise<void> {
    if (this.child.pid === undefined) return;
    this.signal('SIGTERM');
    await Promise.race([this.ended, sleep(STOP_MS, undefined, { ref: false })]);
    this.signal('SIGKILL');
    await this.ended;
  }

  private signal(signal: NodeJS.Signals): void {
    try {
      if (this.child.pid !== undefined) process.kill(-this.child.pid, signal);
    } catch {
      // gone already
    }
  }

  private async untilItListens(): Promise<void> {
    const deadline = performance.now() + START_MS;
    for (;;) {
      if (this.failure !== undefined || this.child.exitCode !== null) {
        throw new Error(`the program did not start: ${this.failure ?? ''}\n${this.text}`);
      }
      try {
        await fetch(`${this.origin}/listening`, { redirect: 'manual' });
        return;
      } catch (error) {
        if (performance.now() > deadline) throw new Error(`nobody listens:\n${this.text}`, { cause: error });
        await sleep(100);
      }
    }
  }
}

/** What toolchains need; never the settings of a service that may run in this shell. */
function inherited(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:VITEST|NODE_ENV$|NODE_OPTIONS$|TEST_|DATABASE_|REDIS_|ISSUER$|CLIENT_|PORT$)/.test(name),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}
