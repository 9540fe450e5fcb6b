import { Injectable } from '@nestjs/common';
import { Log } from '../shared/log.js';
import { UpkeepStore } from './upkeep.store.js';

const ROWS_PER_ROUND = 2_000;
/** A backlog of years must not keep a worker for hours; what is left goes next time. */
const MAX_ROUNDS = 50;

/** Clears away what expired, in rounds small enough that nobody waits behind their locks. */
@Injectable()
export class RemoveExpiredRows {
  constructor(
    private readonly upkeep: UpkeepStore,
    private readonly log: Log,
  ) {}

  /** @returns rows deleted in all */
  async run(): Promise<number> {
    const removed: Record<string, number> = {};
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const counts = Object.entries(await this.upkeep.removeExpired(ROWS_PER_ROUND));
      for (const [table, count] of counts) removed[table] = (removed[table] ?? 0) + count;
      if (counts.every(([, count]) => count < ROWS_PER_ROUND)) break;
    }
    const total = Object.values(removed).reduce((sum, count) => sum + count, 0);
    if (total > 0) this.log.info('expired rows removed', removed);
    return total;
  }
}
