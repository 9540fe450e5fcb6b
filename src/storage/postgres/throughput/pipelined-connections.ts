import type pg from 'pg';
import { Primary } from '../connections/primary.js';
import { sessionOptions, type PostgresSettings } from '../data-source.js';
import { PreparedQuery } from '../prepared-query.js';
import type { Row, Statement } from '../statement.js';
import { scheduleFlush } from './schedule-flush.js';

interface Waiting {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: Error) => void;
}

interface Corkable {
  cork(): void;
  uncork(): void;
}

const RECONNECT_MS = 1_000;
/** lock_timeout: longer than any statement here takes, and short enough for the statements queued behind it. */
const LOCK_TIMEOUT_MS = 500;
/** A connection without an answer by then is closed; its statements are sent by the pool instead. */
const ANSWER_TIMEOUT_MS = 3_000;
/**
 * All statements here are look-ups by key. The planner must use indexes even if its statistics are outdated: right after an import, a
 * table with a million rows may still look empty to it.
 */
const CONNECTION_OPTIONS = [
  'enable_seqscan',
  'enable_hashjoin',
  'enable_mergejoin',
  'enable_bitmapscan',
  'enable_material',
]
  .map((setting) => `-c ${setting}=off`)
  .concat(`-c lock_timeout=${LOCK_TIMEOUT_MS}`)
  .join(' ');

/**
 * A few connections that each carry many statements at the same time (pipelining). Statements of one turn of the event loop are sent in
 * one packet and answered in one, which halves the cost of a token check under load.
 *
 * A statement that waits delays all statements behind it, so only two kinds are allowed: reads by key, and changes of one row that can be
 * repeated without harm. If a lock is not available at once, the statement fails and is sent by the pool instead.
 */
export class PipelinedConnections {
  private readonly connections: (PipelinedConnection | undefined)[];
  private turn = 0;
  private closed = false;

  constructor(private readonly settings: PostgresSettings) {
    this.connections = Array.from({ length: settings.pipelineConnections ?? 0 }, () => undefined);
    for (const index of this.connections.keys()) void this.connect(index);
  }

  /**
   * The connection to use now: the same for all statements of a turn, so that they are sent together. Undefined if none is connected;
   * the caller uses the pool then.
   */
  pick(): PipelinedConnection | undefined {
    const loading = this.connections[this.turn];
    if (loading?.isLoading === true) return loading;
    for (let tried = 0; tried < this.connections.length; tried += 1) {
      this.turn = (this.turn + 1) % this.connections.length;
      const connection = this.connections[this.turn];
      if (connection !== undefined) return connection;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.closed = true;
    const open = this.connections.filter((connection) => connection !== undefined);
    await Promise.all(open.map((connection) => connection.client.end()));
  }

  private async connect(index: number): Promise<void> {
    const { options, ...session } = sessionOptions(this.settings);
    // the published types do not know the option `pipeline` yet, so it must not stand in the literal that is checked
    const settings = {
      ...session,
      options: `${options} ${CONNECTION_OPTIONS}`,
      pipeline: true,
      query_timeout: ANSWER_TIMEOUT_MS,
    };
    const client = Primary.of(this.settings.url).client(settings);
    const lost = (): void => {
      if (this.connections[index]?.client === client) this.connections[index] = undefined;
      if (!this.closed) setTimeout(() => void this.connect(index), RECONNECT_MS).unref();
    };
    // pg rejects pending statements itself; `end` follows, which opens the connection again
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch {
      return lost();
    }
    client.once('end', lost);
    if (this.closed) await client.end();
    else this.connections[index] = new PipelinedConnection(client);
  }
}

class PipelinedConnection {
  private waiting: Waiting[] = [];

  constructor(readonly client: pg.Client) {}

  /** Holds statements that leave at the end of this turn. */
  get isLoading(): boolean {
    return this.waiting.length > 0;
  }

  /** @throws if the connection is lost or a lock is not available: the same statement may be sent again elsewhere */
  ask(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) scheduleFlush(() => this.send());
      this.waiting.push({ statement, values, resolve, reject });
    });
  }

  /** Closes the connection, so that a new one finds the primary. */
  leave(): void {
    void this.client.end().catch(() => undefined);
  }

  private send(): void {
    const batch = this.waiting;
    if (batch.length === 0) return;
    this.waiting = [];
    const { stream } = (this.client as unknown as { readonly connection: { readonly stream: Corkable } })
      .connection;
    stream.cork();
    for (const { statement, values, resolve, reject } of batch) {
      const query = new PreparedQuery<Row>(statement, values, (error, result) => {
        if (error) reject(error);
        else resolve(result.rows);
      });
      this.client.query(query);
    }
    stream.uncork();
  }
}
