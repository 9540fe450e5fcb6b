import { Injectable } from '@nestjs/common';
import { defaultAttemptPolicy } from '../passwords/attempts/attempt-policy.js';
import { BruteForceProtection } from '../passwords/attempts/brute-force-protection.js';
import { PasswordsStore, type AttemptedName } from '../passwords/passwords.store.js';
import { Sealer } from '../secrets/sealer.js';
import type { UserId } from '../shared/ids.js';
import type { ActiveMigration } from './user-migration.js';
import { UserMigrationsStore } from './user-migrations.store.js';

/** Whom a typed name means: somebody without a password, or nobody. */
export type MigrationCandidate = ({ readonly userId: UserId } | { readonly name: AttemptedName }) & {
  /** Behind the `@` of what was typed, in ASCII; null for a name without one. */
  readonly domain: string | null;
};

/** An attempt that was counted before the old system was asked. */
interface CountedTry {
  readonly wrong: () => Promise<void>;
  readonly giveBack: () => Promise<void>;
}

/**
 * Counts tries of passwords that an old system is to be asked about, before it is: by the user, by the name that was typed, and
 * by the entry of a directory.
 */
@Injectable()
export class CountMigrationTries {
  constructor(
    private readonly migrations: UserMigrationsStore,
    private readonly protection: BruteForceProtection,
    private readonly passwords: PasswordsStore,
    private readonly sealer: Sealer,
  ) {}

  /** Undefined where nobody may try, or not so often. */
  async begin(migration: ActiveMigration, newcomer: MigrationCandidate): Promise<CountedTry | undefined> {
    // also of a name that somebody here has: an owner can give a user any address, and the password that is typed with it is
    // that of whoever has the domain
    if (!(await this.migrations.isOpenFor(migration.orgId, newcomer.domain))) return undefined;
    if ('name' in newcomer) {
      const { name } = newcomer;
      if (!(await this.passwords.takeNameAttempt(name, migration.attemptPolicy ?? defaultAttemptPolicy)))
        return undefined;
      return {
        wrong: () => Promise.resolve(),
        giveBack: () => this.passwords.giveBackNameAttempt(name),
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

  /** An entry of a directory has several names, and no more tries for that. */
  entryOf({ orgId }: ActiveMigration, entry: string): AttemptedName {
    const place = `user-migration ${orgId}`;
    return { place, hash: this.sealer.mac('attempted-name', `${place} entry ${entry}`) };
  }

  async admitEntry(migration: ActiveMigration, entry: AttemptedName): Promise<boolean> {
    return await this.passwords.takeNameAttempt(entry, migration.attemptPolicy ?? defaultAttemptPolicy);
  }

  async giveBackEntry(entry: AttemptedName): Promise<void> {
    await this.passwords.giveBackNameAttempt(entry);
  }
}
