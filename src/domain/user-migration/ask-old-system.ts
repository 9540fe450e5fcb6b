import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { HumanRecord } from '../imports/records/human-record.js';
import { defaultAttemptPolicy } from '../passwords/attempt-policy.js';
import { BruteForceProtection } from '../passwords/brute-force-protection.js';
import { NameAttemptsStore, type AttemptedName } from '../passwords/name-attempts.store.js';
import { Sealer } from '../secrets/sealer.js';
import type { UserId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { RateLimiter } from '../shared/rate-limiter.js';
import { AskOldDirectory } from './ask-old-directory.js';
import { OldSystem, OldSystemFailed, type OldCredentials } from './old-system.js';
import { readAnswer } from './read-answer.js';
import { UserMigrationMeter } from './user-migration-meter.js';
import type { ActiveMigration, MigrationOutcome } from './user-migration.js';
import { UserMigrationsStore } from './user-migrations.store.js';

/** One alarm tells that it goes on; the next one comes when it still does after that long. */
const ALARM_PAUSE_SECONDS = 900;

/** Whom a typed name means: somebody without a password, or nobody. */
export type Newcomer = ({ readonly userId: UserId } | { readonly name: AttemptedName }) & {
  /** Behind the `@` of what was typed, in ASCII; null for a name without one. */
  readonly domain: string | null;
};

/** An attempt that was counted before the old system was asked. */
interface CountedTry {
  readonly wrong: () => Promise<void>;
  readonly giveBack: () => Promise<void>;
}

/** The old system agrees. */
export interface Agreed {
  readonly human: HumanRecord;
  /** Of a directory: what knows the entry by whichever name. */
  readonly entryHash?: Buffer | undefined;
  /** Their tries are forgotten once the user is there. */
  readonly names: readonly AttemptedName[];
  /** It cannot be done after all: the try counts as a failure of the old system. */
  readonly failed: (reason: string) => Promise<void>;
  /** Nothing came of it here, by nobody's fault. */
  readonly giveBack: () => Promise<void>;
}

/**
 * Asks an old system about somebody, within its limits. A try is a wrong one from the moment before it is asked, so that
 * guesses at many replicas are not all asked about first; an outage gives it back.
 */
@Injectable()
export class AskOldSystem {
  constructor(
    private readonly migrations: UserMigrationsStore,
    private readonly oldSystem: OldSystem,
    private readonly oldDirectory: AskOldDirectory,
    private readonly protection: BruteForceProtection,
    private readonly attempts: NameAttemptsStore,
    private readonly sealer: Sealer,
    private readonly limiter: RateLimiter,
    private readonly events: EventsStore,
    private readonly meter: UserMigrationMeter,
    private readonly log: Log,
  ) {}

  /** @returns undefined where it was not asked, does not agree, or failed: nobody outside may tell which */
  async ask(
    migration: ActiveMigration,
    newcomer: Newcomer,
    credentials: OldCredentials,
  ): Promise<Agreed | undefined> {
    const { orgId, requestsPerMinute } = migration;
    // looked at before a try is counted, so that a flood of names writes nothing
    const { allowed } = await this.limiter.check('user-migration', orgId, requestsPerMinute);
    if (!allowed) return this.limited();
    const attempt = await this.count(migration, newcomer);
    if (attempt === undefined) return undefined;
    if (!(await this.limiter.hit('user-migration', orgId, requestsPerMinute)).allowed) {
      await attempt.giveBack();
      return this.limited();
    }
    // an entry of a directory has several names, and no more tries for that
    const entries: AttemptedName[] = [];
    const giveBack = async (): Promise<void> => {
      await attempt.giveBack();
      for (const entry of entries) await this.attempts.giveBack(entry);
    };
    const failed = async (reason: string): Promise<void> => await this.failed(migration, giveBack, reason);
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
    await this.note(migration, 'refused');
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
    const place = `user-migration ${migration.orgId}`;
    const hashOf = (entry: string): Buffer => this.sealer.mac('attempted-name', `${place} entry ${entry}`);
    const admit = async (entry: string): Promise<boolean> => {
      const attempted = { place, hash: hashOf(entry) };
      const policy = migration.attemptPolicy ?? defaultAttemptPolicy;
      if (!(await this.attempts.take(attempted, policy))) return false;
      entries.push(attempted);
      return true;
    };
    const found = await this.oldDirectory.ask(migration, credentials, admit);
    return found && { answer: found.human, entryHash: hashOf(found.entry) };
  }

  private async count(migration: ActiveMigration, newcomer: Newcomer): Promise<CountedTry | undefined> {
    // also of a name that somebody here has: an owner can give a user any address, and the password that is typed with it is
    // that of whoever has the domain
    if (!(await this.migrations.isOpenFor(migration.orgId, newcomer.domain))) return undefined;
    if ('name' in newcomer) {
      const { name } = newcomer;
      if (!(await this.attempts.take(name, migration.attemptPolicy ?? defaultAttemptPolicy)))
        return undefined;
      return {
        wrong: () => Promise.resolve(),
        giveBack: () => this.attempts.giveBack(name),
      };
    }
    const { userId } = newcomer;
    const user = await this.migrations.findUnmigrated(migration.orgId, userId);
    if (user === undefined) return undefined;
    const policy = user.attemptPolicy ?? defaultAttemptPolicy;
    const attempt = await this.protection.admit(userId, policy);
    if (attempt === undefined) return undefined;
    return {
      wrong: () => this.protection.wrong(userId, attempt, policy),
      giveBack: () => this.protection.notEvaluated(userId, attempt),
    };
  }

  private limited(): undefined {
    this.meter.counted('limited');
    return undefined;
  }

  private async note(migration: ActiveMigration, outcome: MigrationOutcome): Promise<void> {
    this.meter.counted(outcome);
    await this.migrations.count(migration.orgId, outcome);
  }

  private async failed(
    migration: ActiveMigration,
    giveBack: () => Promise<void>,
    reason: string,
  ): Promise<void> {
    const { orgId, deadlineMs } = migration;
    await giveBack();
    await this.note(migration, 'failed');
    const about = { aggregateType: 'user_migration', aggregateId: orgId, orgId } as const;
    if (!(await this.events.raiseAlarmAbout(about, ALARM_PAUSE_SECONDS, { deadlineMs }))) return;
    this.log.warn('an old system does not answer as agreed; its users cannot come over', { orgId, reason });
  }
}
