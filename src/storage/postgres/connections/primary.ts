// SQL by hand: asks each server whether it is a standby, before the connection is used
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { serversOf } from '../../../config/postgres-servers.js';

/** How long to wait for a standby to be promoted; less than the connection timeout. */
const LOOK_MS = 4_000;
const LOOK_AGAIN_MS = 250;
/** Timeout for one server, if there are others. */
const ANSWER_MS = 2_000;

const WHICH = {
  text: 'SELECT pg_is_in_recovery() AS "inRecovery", extract(epoch FROM pg_postmaster_start_time())::text AS began',
  query_timeout: ANSWER_MS,
};

interface Which {
  readonly inRecovery: boolean;
  /** Identifies a server, whatever its address. */
  readonly began: string;
}

/** The server is a standby. SQLSTATE 25006, as PostgreSQL reports for a write on a standby. */
class StandbyError extends Error {
  readonly code = '25006';

  constructor() {
    super('the PostgreSQL server is a standby, and no primary was found');
    this.name = 'StandbyError';
  }
}

/**
 * Finds the primary among the servers of a URL, and tracks this process's connections to it. Each new connection asks its server whether
 * it is in recovery, and is closed if so. If a connection reaches another server than those before, there was a fail-over: all
 * connections to other servers are closed, so that no request waits for a lost server or writes to a replaced one.
 */
export class Primary {
  private static readonly known = new Map<string, Primary>();

  /** One instance for each URL, shared by pools and single connections: a fail-over that one notices is known to all. */
  static of(url: string): Primary {
    const known = Primary.known.get(url) ?? new Primary(url, false);
    Primary.known.set(url, known);
    return known;
  }

  /** For reads only: the first server to answer, primary or standby. */
  static orStandby(url: string): Primary {
    return new Primary(url, true);
  }

  /** The client class for pools. */
  readonly Client: typeof pg.Client;
  private readonly servers: readonly string[];
  private current: string | undefined;
  private looking: Promise<string> | undefined;
  private readonly met = new Set<string>();
  private notifyChange: () => void = () => undefined;
  private readonly connected = new Map<PrimaryClient, string>();

  private constructor(
    url: string,
    readonly takesStandby: boolean,
  ) {
    this.servers = serversOf(url);
    this.Client = clientOf(this);
  }

  /** The URL that a connection is created with; the server is chosen when it connects. */
  get connectionString(): string {
    return this.servers[0] ?? '';
  }

  /** A single connection, outside of any pool. */
  client(settings: pg.ClientConfig = {}): pg.Client {
    return new this.Client({ ...settings, connectionString: this.connectionString });
  }

  pool(settings: pg.PoolConfig): pg.Pool {
    return new pg.Pool({ ...settings, connectionString: this.connectionString, Client: this.Client });
  }

  /** @throws StandbyError, or what the last of the servers said */
  async find(): Promise<string> {
    // with one server, the connection itself finds out whether it is the primary
    if (this.servers.length === 1) return this.connectionString;
    if (this.current !== undefined) return this.current;
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
    });
    return await this.looking;
  }

  /** @param notify called when a connection has come to another server than those before, or to one that was started again */
  onChange(notify: () => void): void {
    this.notifyChange = notify;
  }

  /** The server did not answer, or a connection to it broke: the next connection asks all servers again. */
  forget(server: string): void {
    if (this.current === server) this.current = undefined;
  }

  /** @param began of the server that this connection has come to */
  arrived(client: PrimaryClient, began: string): void {
    if (!this.met.has(began)) {
      if (this.met.size > 0) this.notifyChange();
      this.met.add(began);
      for (const [other, at] of this.connected) if (at !== began) other.cut();
    }
    this.connected.set(client, began);
    client.once('end', () => this.connected.delete(client));
  }

  /** @throws StandbyError for a standby, unless standbys are accepted */
  require(which: Which | undefined): Which {
    if (which === undefined || (which.inRecovery && !this.takesStandby)) throw new StandbyError();
    return which;
  }

  private async ask(server: string): Promise<string> {
    const client = new pg.Client({
      connectionString: server,
      application_name: 'identity-look',
      connectionTimeoutMillis: ANSWER_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      this.require((await client.query<Which>(WHICH)).rows[0]);
      return server;
    } finally {
      // not awaited, since a server that hangs would delay it
      void client.end().catch(() => undefined);
    }
  }

  private async look(): Promise<string> {
    const until = performance.now() + LOOK_MS;
    for (;;) {
      try {
        // the first to answer: a server that hangs does not delay the others
        this.current = await Promise.any(this.servers.map((server) => this.ask(server)));
        return this.current;
      } catch (thrown) {
        const errors: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
        // a standby may be promoted soon; without one, waiting is useless
        const standby = errors.find((error) => error instanceof StandbyError);
        if (standby === undefined || performance.now() > until) throw standby ?? errors.at(-1);
        await sleep(LOOK_AGAIN_MS);
      }
    }
  }
}

/** A class, since pools take a class. */
function clientOf(primary: Primary): typeof pg.Client {
  return class extends PrimaryClient {
    constructor(settings?: string | pg.ClientConfig) {
      super(primary, settings);
    }
  };
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** A connection to the primary, which fails if there is none. */
class PrimaryClient extends pg.Client {
  private leaving = false;

  constructor(
    private readonly primary: Primary,
    settings?: string | pg.ClientConfig,
  ) {
    super(settings);
    // A pool handles errors only once it has the connection. One that is lost while its server is identified would end the
    // process; the caller gets the error all the same
    this.on('error', () => undefined);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | void {
    const connected = this.connectToPrimary();
    if (callback === undefined) return connected;
    const tell = callback as (error: Error | null, client?: pg.Client) => void;
    connected.then(
      () => tell(null, this),
      (error: Error) => tell(error),
    );
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    this.leaving = true;
    if (callback === undefined) return super.end();
    super.end(callback);
  }

  /** Closes the connection as a network failure would: pending statements fail, and the pool opens another one. */
  cut(): void {
    (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }

  private async connectToPrimary(): Promise<pg.Client> {
    const server = await this.primary.find();
    this.leadTo(server);
    try {
      await super.connect();
      const { rows } = await super.query<Which>(WHICH);
      this.primary.arrived(this, this.primary.require(rows[0]).began);
    } catch (error) {
      this.primary.forget(server);
      void this.end().catch(() => undefined);
      throw error;
    }
    this.once('end', () => {
      if (!this.leaving) this.primary.forget(server);
    });
    return this;
  }

  /** The server given to the constructor is the first of the servers. */
  private leadTo(server: string): void {
    if (server === this.primary.connectionString) return;
    const { host, port } = new pg.Client({ connectionString: server });
    this.host = host;
    this.port = port;
    Object.assign((this as unknown as { connectionParameters: object }).connectionParameters, { host, port });
  }
}
