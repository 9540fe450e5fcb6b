// SQL by hand: asks each server whether it is a standby, before the connection is used
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { serversOf } from '../../../config/postgres-servers.js';

/** How long a standby is given to be promoted; below the time within which a connection must stand. */
const LOOK_MS = 4_000;
const LOOK_AGAIN_MS = 250;
/** A server that does not answer by then is not waited for while there are others. */
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

/** A server that only repeats what another one writes. SQLSTATE 25006, as PostgreSQL itself says it of a write. */
export class StandbyError extends Error {
  readonly code = '25006';

  constructor() {
    super('the PostgreSQL server is a standby, and no primary was found');
    this.name = 'StandbyError';
  }
}

/**
 * Of the servers that a URL names, the one that takes writes, and the connections of this process to it. Each new
 * connection asks its server whether it is in recovery, and goes no further if so. When one has come to another server
 * than those before, there was a fail-over: all connections to other servers are cut, so that nobody waits for a machine
 * that is gone, or writes to one that was replaced.
 */
export class Primary {
  private static readonly known = new Map<string, Primary>();

  /** For every pool and every connection of its own the same: what one of them finds out helps them all. */
  static of(url: string): Primary {
    const known = Primary.known.get(url) ?? new Primary(url, false);
    Primary.known.set(url, known);
    return known;
  }

  /** For what only reads: the first of the servers to answer, whatever it is. */
  static orStandby(url: string): Primary {
    return new Primary(url, true);
  }

  /** What pools make their connections of. */
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

  /** What a connection is made with; where it leads is decided when it connects. */
  get connectionString(): string {
    return this.servers[0] ?? '';
  }

  /** A connection of its own. Every other one is a pool's. */
  client(settings: pg.ClientConfig = {}): pg.Client {
    return new this.Client({ ...settings, connectionString: this.connectionString });
  }

  pool(settings: pg.PoolConfig): pg.Pool {
    return new pg.Pool({ ...settings, connectionString: this.connectionString, Client: this.Client });
  }

  /** @throws StandbyError, or what the last of the servers said */
  async find(): Promise<string> {
    // alone it is where to go, and the connection itself learns what it is
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

  /** The server did not answer, or a connection to it broke: who connects next looks at all of them. */
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

  /** @throws StandbyError for a server that is no place to go */
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
      // one that hangs would not let go of it
      void client.end().catch(() => undefined);
    }
  }

  private async look(): Promise<string> {
    const until = performance.now() + LOOK_MS;
    for (;;) {
      try {
        // who answers first: one that hangs keeps nobody from the others
        this.current = await Promise.any(this.servers.map((server) => this.ask(server)));
        return this.current;
      } catch (thrown) {
        const errors: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
        // a standby may be promoted at any moment; where there is none, nothing is worth waiting for
        const standby = errors.find((error) => error instanceof StandbyError);
        if (standby === undefined || performance.now() > until) throw standby ?? errors.at(-1);
        await sleep(LOOK_AGAIN_MS);
      }
    }
  }
}

/** As a class, which is what pools take. */
function clientOf(primary: Primary): typeof pg.Client {
  return class extends PrimaryClient {
    constructor(settings?: string | pg.ClientConfig) {
      super(primary, settings);
    }
  };
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** A connection that leads to the primary or nowhere. */
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

  /** As the network would: whoever waits for an answer gets an error, and a pool makes another one. */
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
