import { Injectable } from '@nestjs/common';
import { crashPoint } from '../shared/crash-point.js';
import { Log } from '../shared/log.js';
import { MaintenanceStore, RetentionSettings } from './maintenance.store.js';
import { addCounts, type UpkeepCounts } from './upkeep-counts.js';

const ROWS_PER_ROUND = 2_000;
/** A backlog of years must not keep a worker for hours; what is left goes next time. */
const MAX_ROUNDS = 50;

/** Clears away what expired, in rounds small enough that nobody waits behind their locks. */
@Injectable()
export class RemoveExpiredRows {
  constructor(
    private readonly maintenance: MaintenanceStore,
    private readonly retention: RetentionSettings,
    private readonly log: Log,
  ) {}

  /** @returns rows deleted in all */
  async run(): Promise<UpkeepCounts> {
    let removed: UpkeepCounts = {};
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const counts = await this.maintenance.removeExpired(ROWS_PER_ROUND, this.retention);
      removed = addCounts(removed, counts);
      crashPoint('upkeep-after-round');
      if (Object.values(counts).every((count) => count < ROWS_PER_ROUND)) break;
    }
    if (Object.values(removed).some((count) => count > 0)) this.log.info('expired rows removed', removed);
    return removed;
  }
}
