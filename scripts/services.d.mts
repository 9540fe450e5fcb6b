/** A private server that somebody started and has to stop. */
export interface PrivateServer {
  /** With the password; the database is called `identity`, the role is superuser. */
  readonly url: string;
  readonly port: number;
  /** Of the process that runs now; another one after `restart`. */
  readonly pid: number;
  /** Resolves when the process that runs now ends, however it ends. */
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  /** Ends it in good order. */
  stop(): Promise<void>;
  /** Ends it as a crash would (SIGKILL) and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts the ended server again: same port, password and data. */
  restart(): Promise<void>;
  /** The last lines of its log. */
  tail(lines?: number): string;
}

export interface PrivatePostgres extends PrivateServer {
  /** The URL of another database of the same server. */
  urlOf(database: string): string;
}

export interface PrivateRedis extends PrivateServer {
  /** Version and origin, for people. */
  readonly description: string;
  /** Forgets everything (FLUSHALL). */
  flush(): Promise<void>;
}

interface StartOptions {
  /** Folder of the server: data, password, log. Made when missing; a server left there by a killed run is ended. */
  dir: string;
  logFile?: string;
  note?: (text: string) => void;
}

/** `durable: false` gives up safety against power loss (not against a killed process) for speed. */
export function startPostgres(
  options: StartOptions & { durable?: boolean; settings?: Readonly<Record<string, string>> },
): Promise<PrivatePostgres>;

/** Undefined where no Redis program is on the PATH and none can be fetched. */
export function startRedis(
  options: StartOptions & {
    signal?: AbortSignal;
    /** One of its own by default. */
    password?: string;
    /** More lines of its configuration. */
    settings?: readonly string[];
    /** A sentinel, which watches others. */
    sentinel?: boolean;
  },
): Promise<PrivateRedis | undefined>;

export function endLeftoverPostgres(dir: string): Promise<boolean>;
export function endLeftoverRedis(dir: string): Promise<boolean>;
