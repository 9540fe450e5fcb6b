import type { BeforeApplicationShutdown } from '@nestjs/common';
import { type Clock, SharedClock } from '../../domain/shared/clock.js';
import type { Sql } from './sql.js';

const NOW = { name: 'clock-now', text: `SELECT extract(epoch FROM app_now()) * 1000 AS now_ms` };

const ASK_EVERY_MS = 5_000;
/** An answer that took longer says too little about when it was given. */
const LONGEST_ANSWER_MS = 1_000;

/** Has this process's clock follow the database's, which is the one that decides (architecture §2). */
export class DatabaseClock implements BeforeApplicationShutdown {
  private readonly timer: NodeJS.Timeout;
  private asking = false;

  private constructor(
    private readonly sql: Pick<Sql, 'quick'>,
    private readonly clock: SharedClock,
  ) {
    this.timer = setInterval(() => void this.askAgain(), ASK_EVERY_MS).unref();
  }

  /**
   * Before anything asks for the time. A clock of another kind is left alone.
   * @returns undefined then
   */
  static async follow(sql: Pick<Sql, 'quick'>, clock: Clock): Promise<DatabaseClock | undefined> {
    if (!(clock instanceof SharedClock)) return undefined;
    const following = new DatabaseClock(sql, clock);
    // however long it takes: a host's clock may be wrong by more
    await following.ask(Number.POSITIVE_INFINITY).catch((error: unknown) => {
      following.beforeApplicationShutdown();
      throw error;
    });
    return following;
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** With the database away the count goes on from what it said last. */
  private async askAgain(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    await this.ask(LONGEST_ANSWER_MS).catch(() => undefined);
    this.asking = false;
  }

  private async ask(longestMs: number): Promise<void> {
    const sent = performance.now();
    const row = await this.sql.quick<{ now_ms: string }>(NOW, []);
    const took = performance.now() - sent;
    // most likely it was given half-way
    if (row !== undefined && took <= longestMs) this.clock.set(Number(row.now_ms), sent + took / 2);
  }
}
