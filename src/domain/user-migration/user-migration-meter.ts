import type { MigrationOutcome } from './user-migration.js';

/** Counts for operators what came of asking old systems. */
export abstract class UserMigrationMeter {
  /** `limited`: it was not asked, because it had been too often within a minute. */
  abstract counted(outcome: MigrationOutcome | 'limited'): void;
}
