import { Injectable } from '@nestjs/common';
import { Log } from '../shared/log.js';
import { MaintenanceStore, RetentionSettings } from './maintenance.store.js';
import { addCounts, type UpkeepCounts } from './upkeep-counts.js';

const ROWS_PER_ROUND = 2_000;
const MAX_ROUNDS = 50;

/** Clears away months of the audit log, where a policy says so. Without one nothing of it ever goes. */
@Injectable()
export class RemoveOldEvents {
  constructor(
    private readonly maintenance: MaintenanceStore,
    private readonly retention: RetentionSettings,
    private readonly log: Log,
  ) {}

  async run(): Promise<UpkeepCounts> {
    const { eventSeconds } = this.retention;
    if (eventSeconds === undefined) return {};
    let removed: UpkeepCounts = {};
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const counts = await this.maintenance.removeOldEvents(ROWS_PER_ROUND, eventSeconds);
      removed = addCounts(removed, counts);
      if ((counts['events'] ?? 0) < ROWS_PER_ROUND) break;
    }
    if (Object.values(removed).some((count) => count > 0)) this.log.info('old events removed', removed);
    return removed;
  }
}
