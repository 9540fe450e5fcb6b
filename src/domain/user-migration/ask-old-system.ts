import { Injectable } from '@nestjs/common';
import type { HumanRecord } from '../imports/records/human-record.js';
import type { AttemptedName } from '../passwords/passwords.store.js';
import { RateLimiter } from '../shared/rate-limiter.js';
import { AskOldDirectory } from './ask-old-directory.js';
import { CountMigrationTries, type MigrationCandidate } from './count-migration-tries.js';
import { NoteMigrationOutcome } from './note-migration-outcome.js';
import { OldSystem, OldSystemFailed, type OldCredentials } from './old-system.js';
import { readAnswer } from './read-answer.js';
import type { ActiveMigration } from './user-migration.js';

/** The old system agrees. */
export interface Agreed {
  readonly human: HumanRecord;
  /** Of a directory: what knows the entry by whichever name. */
  readonly entryHash?: Buffer | undefined;
  /** Their tries are forgotten once the user is there. */
  readonly names: readonly AttemptedName[];
  /** It cannot be done after all: the try counts as a failure of the old system. */
  readonly failed: (reason: string) => Promise<void>;
  /** The answer was not used, by nobody's fault: the attempt does not count. */
  readonly giveBack: () => Promise<void>;
}

/**
 * Asks an old system about somebody, within its limits. A try is a wrong one from the moment before it is asked, so that
 * guesses at many replicas are not all asked about first; an outage gives it back.
 */
@Injectable()
export class AskOldSystem {
  constructor(
    private readonly tries: CountMigrationTries,
    private readonly outcomes: NoteMigrationOutcome,
    private readonly oldSystem: OldSystem,
    private readonly oldDirectory: AskOldDirectory,
    private readonly limiter: RateLimiter,
  ) {}

  /** @returns undefined if it was not queried, refused, or failed: these must not be distinguishable from outside */
  async ask(
    migration: ActiveMigration,
    newcomer: MigrationCandidate,
    credentials: OldCredentials,
  ): Promise<Agreed | undefined> {
    const { orgId, requestsPerMinute } = migration;
    // looked at before a try is counted, so that a flood of names writes nothing
    const { allowed } = await this.limiter.check('user-migration', orgId, requestsPerMinute);
    if (!allowed) {
      this.outcomes.limited();
      return undefined;
    }
    const attempt = await this.tries.begin(migration, newcomer);
    if (attempt === undefined) return undefined;
    if (!(await this.limiter.hit('user-migration', orgId, requestsPerMinute)).allowed) {
      await attempt.giveBack();
      this.outcomes.limited();
      return undefined;
    }
    const entries: AttemptedName[] = [];
    const giveBack = async (): Promise<void> => {
      await attempt.giveBack();
      for (const entry of entries) await this.tries.giveBackEntry(entry);
    };
    const failed = async (reason: string): Promise<void> => {
      await giveBack();
      await this.outcomes.failed(migration, reason);
    };
    try {
      const found = await this.find(migration, credentials, entries);
      if (found !== undefined) {
        const names = [...('name' in newcomer ? [newcomer.name] : []), ...entries];
        const human = readAnswer(found.answer, credentials, migration);
        return { human, entryHash: found.entryHash, names, failed, giveBack };
      }
    } catch (error) {
      if (!(error instanceof OldSystemFailed)) throw error;
      await failed(error.message);
      return undefined;
    }
    await attempt.wrong();
    await this.outcomes.note(migration, 'refused');
    return undefined;
  }

  /** @param entries gets what the try is counted by besides @throws OldSystemFailed */
  private async find(
    migration: ActiveMigration,
    credentials: OldCredentials,
    entries: AttemptedName[],
  ): Promise<{ readonly answer: unknown; readonly entryHash?: Buffer } | undefined> {
    if (migration.kind === 'webhook') {
      const answer = await this.oldSystem.ask(migration, credentials);
      return answer === undefined ? undefined : { answer };
    }
    const admit = async (entry: string): Promise<boolean> => {
      const attempted = this.tries.entryOf(migration, entry);
      if (!(await this.tries.admitEntry(migration, attempted))) return false;
      entries.push(attempted);
      return true;
    };
    const found = await this.oldDirectory.ask(migration, credentials, admit);
    return found && { answer: found.human, entryHash: this.tries.entryOf(migration, found.entry).hash };
  }
}
