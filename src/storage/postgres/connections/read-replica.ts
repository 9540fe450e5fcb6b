// SQL by hand: compares the positions of primary and standby in the write-ahead log
import pg from 'pg';
import type { ReplicaState } from '../../../domain/health/database-servers.js';
import { sessionOptions, type PostgresSettings } from '../data-source.js';
import { Sql } from '../sql.js';
import { Primary } from './primary.js';

const LOOK_EVERY_MS = 1_000;

const WRITTEN = {
  name: 'replica-written',
  text: `SELECT pg_current_wal_lsn()::text AS lsn, extract(epoch FROM pg_postmaster_start_time())::text AS began`,
};
const REPLAYED = {
  name: 'replica-replayed',
  text: `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END::text AS lsn,
           pg_is_in_recovery() AS "inRecovery", extract(epoch FROM pg_postmaster_start_time())::text AS began`,
};

interface Written {
  readonly lsn: string;
  readonly began: string;
}
interface Replayed {
  readonly lsn: string | null;
  readonly inRecovery: boolean;
  readonly began: string;
}

/** Everything that was committed before `at` is before `lsn` in the log. */
interface Mark {
  readonly at: number;
  readonly lsn: bigint;
}

/**
 * A standby for reads that may lag. It is used while it has replayed everything that the primary had committed `mostLagMs` ago. That is
 * known from log positions of the primary over time, so that no clock and no write is needed, and an idle primary means no lag.
 */
export class ReadReplica {
  readonly sql: Sql;
  private readonly pool: pg.Pool;
  private readonly timer: NodeJS.Timeout;
  private marks: Mark[] = [];
  /** Its data are at least as new as this. */
  private recentAt = Number.NEGATIVE_INFINITY;
  private looking = false;
  /** Why it is not used while it is not recent. */
  private reason: Exclude<ReplicaState, 'used'> = 'away';

  private constructor(
    settings: PostgresSettings,
    private readonly primary: Sql,
    private readonly mostLagMs: number,
    private readonly notifyState: (state: ReplicaState) => void,
  ) {
    const { options, ...session } = sessionOptions(settings);
    this.pool = Primary.orStandby(settings.url).pool({
      ...session,
      max: settings.poolSize,
      idleTimeoutMillis: 0,
      query_timeout: settings.statementTimeoutMs + 5_000,
      // in case it is not a standby
      options: `${options} -c default_transaction_read_only=on`,
    });
    this.pool.on('error', () => undefined);
    this.sql = new Sql(this.pool);
    this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  /** @param notifyState called each second */
  static async open(
    settings: PostgresSettings,
    primary: Sql,
    mostLagMs: number,
    notifyState: (state: ReplicaState) => void = () => undefined,
  ): Promise<ReadReplica> {
    const replica = new ReadReplica(settings, primary, mostLagMs, notifyState);
    await replica.look();
    return replica;
  }

  get isRecent(): boolean {
    return performance.now() - this.recentAt <= this.mostLagMs;
  }

  /** After a failed request: no other is sent to it before the next check. */
  rest(): void {
    this.recentAt = Number.NEGATIVE_INFINITY;
    this.marks = [];
    this.reason = 'away';
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.pool.end();
  }

  private async look(): Promise<void> {
    // the previous check may still wait for a server that is gone
    if (this.looking) return this.notify();
    this.looking = true;
    // if one of the two is away, `recentAt` stays as it is, and becomes too old
    await this.compare().catch(() => undefined);
    this.looking = false;
    this.notify();
  }

  private notify(): void {
    this.notifyState(this.isRecent ? 'used' : this.reason);
  }

  private async compare(): Promise<void> {
    const at = performance.now();
    const written = await this.primary.row<Row<Written>>(WRITTEN, []);
    this.reason = 'away';
    const replayed = await this.sql.row<Row<Replayed>>(REPLAYED, []);
    if (written === undefined || replayed === undefined) return;
    // the primary itself has no lag; any other server that is not in recovery is not a replica
    if (!replayed.inRecovery) {
      if (replayed.began === written.began) this.recentAt = at;
      else this.reason = 'not_a_replica';
      return;
    }
    this.reason = 'behind';
    this.marks.push({ at, lsn: position(written.lsn) });
    const reached = replayed.lsn === null ? 0n : position(replayed.lsn);
    const last = this.marks.findLastIndex(({ lsn }) => lsn <= reached);
    this.recentAt = Math.max(this.recentAt, this.marks[last]?.at ?? Number.NEGATIVE_INFINITY);
    this.marks = this.marks.slice(last + 1).filter((mark) => at - mark.at <= this.mostLagMs);
  }
}

type Row<T> = T & Record<string, unknown>;

/** `16/B374D848`, in bytes. */
function position(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
