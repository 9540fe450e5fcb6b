import { Injectable } from '@nestjs/common';
import { RemoveExpiredRows } from '../src/domain/maintenance/remove-expired-rows.js';
import { RemoveOldEvents } from '../src/domain/maintenance/remove-old-events.js';
import { RemoveUnusedRows } from '../src/domain/maintenance/remove-unused-rows.js';
import { SweepStuckRows } from '../src/domain/maintenance/sweep-stuck-rows.js';
import { describeCounts, type UpkeepCounts } from '../src/domain/maintenance/upkeep-counts.js';
import { Metrics } from '../src/ops/metrics.js';

/** The jobs that remove rows whose time is over and mend those that are stuck. Each says how many it were. */
@Injectable()
export class RowUpkeep {
  constructor(
    private readonly expired: RemoveExpiredRows,
    private readonly unused: RemoveUnusedRows,
    private readonly oldEvents: RemoveOldEvents,
    private readonly stuck: SweepStuckRows,
    private readonly metrics: Metrics,
  ) {}

  async removeExpired(): Promise<string> {
    return this.summarize(await this.expired.run());
  }

  async removeUnused(): Promise<string> {
    return this.summarize(await this.unused.run());
  }

  async removeOldEvents(): Promise<string> {
    return this.summarize(await this.oldEvents.run());
  }

  async sweepStuck(): Promise<string> {
    return this.summarize(await this.stuck.run());
  }

  /** Numbers alone, for the dashboard and the metrics. */
  private summarize(counts: UpkeepCounts): string {
    for (const [kind, count] of Object.entries(counts)) this.metrics.upkeepRows.inc({ kind }, count);
    return describeCounts(counts);
  }
}
