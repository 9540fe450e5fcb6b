import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { Log } from '../shared/log.js';
import { UserMigrationMeter } from './user-migration-meter.js';
import type { ActiveMigration, MigrationOutcome } from './user-migration.js';
import { UserMigrationsStore } from './user-migrations.store.js';

/** The interval between two alarms while the condition lasts. */
const ALARM_PAUSE_SECONDS = 900;

/** Records the outcome of a query to an old system: in its counters, and as an alarm if it fails. */
@Injectable()
export class NoteMigrationOutcome {
  constructor(
    private readonly migrations: UserMigrationsStore,
    private readonly events: EventsStore,
    private readonly meter: UserMigrationMeter,
    private readonly log: Log,
  ) {}

  /** It was not asked. */
  limited(): void {
    this.meter.counted('limited');
  }

  async note(migration: ActiveMigration, outcome: MigrationOutcome): Promise<void> {
    this.meter.counted(outcome);
    await this.migrations.count(migration.orgId, outcome);
  }

  async failed(migration: ActiveMigration, reason: string): Promise<void> {
    const { orgId, deadlineMs } = migration;
    await this.note(migration, 'failed');
    const about = { aggregateType: 'user_migration', aggregateId: orgId, orgId } as const;
    if (!(await this.events.raiseAlarmAbout(about, ALARM_PAUSE_SECONDS, { deadlineMs }))) return;
    this.log.warn('invalid answer or no answer from a migration endpoint; its users cannot be migrated', {
      orgId,
      reason,
    });
  }
}
