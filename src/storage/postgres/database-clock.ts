// SQL by hand: reads the database's clock
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { SharedClock, type Clock } from '../../domain/shared/clock.js';
import type { Sql } from './sql.js';

const NOW = { name: 'clock-now', text: `SELECT extract(epoch FROM app_now()) * 1000 AS now_ms` };

const ASK_EVERY_MS = 5_000;
/** What a host's count and the database's clock part from each other, at most, in a millisecond. */
const DRIFT = 1 / 10_000;

/** How far the database's clock is from this process's steady count: at least and at most. */
interface Ahead {
  readonly least: number;
  readonly most: number;
  /** When that was known. */
  readonly at: number;
}

/**
 * Has this process's clock follow the database's, which is the one that decides (architecture §2). Of all that agrees
 * with what was answered it takes the earliest: a token that says it was issued in a moment from now is refused by
 * whoever allows for no skew.
 */
export class DatabaseClock implements BeforeApplicationShutdown {
  private readonly timer: NodeJS.Timeout;
  private asking = false;
  private ahead: Ahead | undefined;

  private constructor(
    private readonly sql: Pick<Sql, 'pipelined'>,
    private readonly clock: SharedClock,
  ) {
    this.timer = setInterval(() => void this.askAgain(), ASK_EVERY_MS).unref();
  }

  /**
   * Before anything asks for the time. A clock of another kind is left alone.
   * @returns undefined then
   */
  static async follow(sql: Pick<Sql, 'pipelined'>, clock: Clock): Promise<DatabaseClock | undefined> {
    if (!(clock instanceof SharedClock)) return undefined;
    const following = new DatabaseClock(sql, clock);
    await following.ask().catch((error: unknown) => {
      following.beforeApplicationShutdown();
      throw error;
    });
    return following;
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** While the database is down the clock continues from its last answer. */
  private async askAgain(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    await this.ask().catch(() => undefined);
    this.asking = false;
  }

  private async ask(): Promise<void> {
    const sent = performance.now();
    const row = await this.sql.pipelined<{ now_ms: string }>(NOW, []);
    const at = performance.now();
    if (row === undefined) return;
    // it was said at some moment in between
    const answered = { least: Number(row.now_ms) - at, most: Number(row.now_ms) - sent, at };
    this.ahead = narrowed(this.ahead, answered);
    this.clock.set(this.ahead.least);
  }
}

/** What agrees with all that was answered; with the last answer alone when the database's clock was set meanwhile. */
function narrowed(known: Ahead | undefined, answered: Ahead): Ahead {
  if (known === undefined) return answered;
  const drift = (answered.at - known.at) * DRIFT;
  const least = Math.max(known.least - drift, answered.least);
  const most = Math.min(known.most + drift, answered.most);
  return least <= most ? { least, most, at: answered.at } : answered;
}
