import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const LOOK_MS = 500;
/** The longest that anything may wait to be published while Redis is up (security I5). */
const LONGEST_UNPUBLISHED_S = 30;

interface Sight {
  readonly counted: number;
  readonly written: number;
  readonly oldest: number;
}

/** Looks at the database from beside, all through a scenario, for what must hold at every moment. */
export class Watch {
  readonly violations: string[] = [];
  /** Most users seen so far, for scenarios in which commits get lost. */
  mostWritten = 0;
  private running = true;
  private redisAway = 0;
  private redisBackAt = 0;
  private readonly loop: Promise<void>;

  constructor(private readonly pool: pg.Pool) {
    this.loop = this.look();
  }

  /** What cannot be published because there is nowhere to publish it is no violation. */
  async withoutRedis<T>(work: () => Promise<T>): Promise<T> {
    this.redisAway += 1;
    try {
      return await work();
    } finally {
      this.redisAway -= 1;
      this.redisBackAt = performance.now();
    }
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.loop;
  }

  private async look(): Promise<void> {
    while (this.running) {
      // Postgres itself is among what is taken away
      const sight = await this.see().catch(() => undefined);
      if (sight !== undefined) this.judge(sight);
      await sleep(LOOK_MS);
    }
  }

  private judge({ counted, written, oldest }: Sight): void {
    this.mostWritten = Math.max(this.mostWritten, written);
    if (counted > written) this.violations.push(`${counted} users were counted, ${written} were written`);
    const sinceBack = (performance.now() - this.redisBackAt) / 1000;
    const waited = this.redisBackAt === 0 ? oldest : Math.min(oldest, sinceBack);
    if (this.redisAway === 0 && waited > LONGEST_UNPUBLISHED_S) {
      this.violations.push(`an outbox row has waited for ${Math.round(waited)} s`);
    }
  }

  /** In one statement, so that all of it is of the same moment. */
  private async see(): Promise<Sight | undefined> {
    const { rows } = await this.pool.query<Sight>(
      `SELECT
         (SELECT coalesce(sum(c.created - coalesce(c.removed, 0)), 0)::int
          FROM import_chunks c JOIN imports j ON j.id = c.import_id WHERE NOT j.dry_run) AS counted,
         (SELECT count(*)::int FROM users WHERE user_name LIKE 'person-%') AS written,
         (SELECT coalesce(extract(epoch FROM app_now() - min(available_at)), 0)::float8
          FROM outbox WHERE state = 'pending') AS oldest`,
    );
    return rows[0];
  }
}
