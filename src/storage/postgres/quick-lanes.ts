import pg from 'pg';
import { sessionOptions, type PostgresSettings } from './data-source.js';
import type { Row, Statement } from './statement.js';
import { atEndOfTurn } from './turn.js';

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
/** Longer than any statement on a lane takes, short enough that nobody behind a waiting one notices much. */
const LOCK_TIMEOUT_MS = 500;
/** A lane that has not answered by then is taken down with all that is on it; the pool is asked instead. */
const ANSWER_TIMEOUT_MS = 3_000;
/**
 * Everything here is a look-up by key. The planner must not think otherwise while its statistics are old: right after
 * an import a table it believes empty has a million rows.
 */
const LANE_OPTIONS = [
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
 * A few connections that each carry many single statements at once (pipelining). What is asked within one turn of
 * the event loop leaves in one packet and comes back in one, which halves the cost of a token check under load.
 *
 * A statement that waits holds up all behind it, so only two kinds may travel here: reads by key, and changes of one
 * row whose repetition is harmless. A lock that is not had at once is given up, and the pool is asked instead.
 */
export class QuickLanes {
  private readonly lanes: (QuickLane | undefined)[];
  private turn = 0;
  private closed = false;

  constructor(private readonly settings: PostgresSettings) {
    this.lanes = Array.from({ length: settings.quickLanes ?? 0 }, () => undefined);
    for (const index of this.lanes.keys()) void this.connect(index);
  }

  /**
   * The lane to use now: one and the same for all of a turn, so that they leave together. Undefined when none is
   * connected, and the caller takes the pool instead.
   */
  pick(): QuickLane | undefined {
    const loading = this.lanes[this.turn];
    if (loading?.isLoading === true) return loading;
    for (let tried = 0; tried < this.lanes.length; tried += 1) {
      this.turn = (this.turn + 1) % this.lanes.length;
      const lane = this.lanes[this.turn];
      if (lane !== undefined) return lane;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.closed = true;
    const open = this.lanes.filter((lane) => lane !== undefined);
    await Promise.all(open.map((lane) => lane.client.end()));
  }

  private async connect(index: number): Promise<void> {
    const { options, ...session } = sessionOptions(this.settings);
    // the published types do not know the option `pipeline` yet, so it must not stand in the literal pg.Client sees
    const settings = {
      ...session,
      connectionString: this.settings.url,
      options: `${options} ${LANE_OPTIONS}`,
      pipeline: true,
      query_timeout: ANSWER_TIMEOUT_MS,
    };
    const client = new pg.Client(settings);
    const lost = (): void => {
      if (this.lanes[index]?.client === client) this.lanes[index] = undefined;
      if (!this.closed) setTimeout(() => void this.connect(index), RECONNECT_MS).unref();
    };
    // what was under way is rejected by pg itself; `end` follows and brings the lane back
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch {
      return lost();
    }
    client.once('end', lost);
    if (this.closed) await client.end();
    else this.lanes[index] = new QuickLane(client);
  }
}

export class QuickLane {
  private waiting: Waiting[] = [];

  constructor(readonly client: pg.Client) {}

  /** Holds statements that leave at the end of this turn. */
  get isLoading(): boolean {
    return this.waiting.length > 0;
  }

  /** @throws when the connection is lost or a lock is not had: the same statement may be sent again elsewhere */
  ask(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) atEndOfTurn(() => this.send());
      this.waiting.push({ statement, values, resolve, reject });
    });
  }

  private send(): void {
    const batch = this.waiting;
    if (batch.length === 0) return;
    this.waiting = [];
    const { stream } = (this.client as unknown as { readonly connection: { readonly stream: Corkable } })
      .connection;
    stream.cork();
    for (const { statement, values, resolve, reject } of batch) {
      const { name, text } = statement;
      this.client.query<Row>({ name, text, values: values as unknown[] }, (error, result) => {
        if (error) reject(error);
        else resolve(result.rows);
      });
    }
    stream.uncork();
  }
}
