import { Injectable } from '@nestjs/common';
import { Log } from '../shared/log.js';
import { MaintenanceStore } from './maintenance.store.js';
import { addCounts, type UpkeepCounts } from './upkeep-counts.js';

const ROWS_PER_ROUND = 500;
const MAX_ROUNDS = 20;

/**
 * Sees to it that whatever is due is also in the outbox. The relay cures a queue that forgets; this cures an outbox
 * that does: a row deleted by hand, or restored from a backup without it. A claim whose time is up comes back this way
 * as well, because its row is still due.
 */
@Injectable()
export class SweepStuckRows {
  constructor(
    private readonly maintenance: MaintenanceStore,
    private readonly log: Log,
  ) {}

  async run(): Promise<UpkeepCounts> {
    let swept: UpkeepCounts = {};
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const counts = await this.maintenance.sweepStuck(ROWS_PER_ROUND);
      swept = addCounts(swept, counts);
      if (Object.values(counts).every((count) => count < ROWS_PER_ROUND)) break;
    }
    if (Object.values(swept).some((count) => count > 0)) this.log.warn('stuck rows were repaired', swept);
    return swept;
  }
}
