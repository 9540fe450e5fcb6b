import { Injectable } from '@nestjs/common';
import { UserMigrationMeter } from '../domain/user-migration/user-migration-meter.js';
import type { MigrationOutcome } from '../domain/user-migration/user-migration.js';
import { Metrics } from './metrics.js';

/** What comes of asking old systems, as counters. */
@Injectable()
export class UserMigrationMetrics extends UserMigrationMeter {
  constructor(private readonly metrics: Metrics) {
    super();
  }

  override counted(outcome: MigrationOutcome | 'limited'): void {
    this.metrics.userMigrations.inc({ outcome });
  }
}
