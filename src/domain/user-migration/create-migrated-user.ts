import { Injectable } from '@nestjs/common';
import type { HumanRecord } from '../imports/records/human-record.js';
import { ImportHumanUser } from '../imports/records/import-human-user.js';
import { PasswordsStore } from '../passwords/passwords.store.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/names/canonical-name.js';
import type { Agreed } from './ask-old-system.js';
import { ConcurrentMigration, SetMigratedPassword, type NativePassword } from './set-migrated-password.js';
import type { ActiveMigration } from './user-migration.js';
import { UserMigrationsStore } from './user-migrations.store.js';

/** One of their names was migrated before, or belonged to a deleted user. */
export class UserPreviouslyMigrated extends Error {
  constructor() {
    super('the user was here before');
    this.name = 'UserPreviouslyMigrated';
  }
}

/** What the old system says of them, what it knows them by for good if that is known, and the names whose tries end with it. */
type MigratedRecord = Pick<Agreed, 'human' | 'entryHash' | 'names'>;

/** Writes a migrated user in one transaction: a crash leaves nothing, and the old system is queried again. */
@Injectable()
export class CreateMigratedUser {
  constructor(
    private readonly migrations: UserMigrationsStore,
    private readonly passwords: PasswordsStore,
    private readonly importHumanUser: ImportHumanUser,
    private readonly giveOldPassword: SetMigratedPassword,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws ConcurrentMigration, UserPreviouslyMigrated, ApiError invalid-argument for what no import would take */
  async create(
    { orgId, primaryDomain }: ActiveMigration,
    typed: string,
    { human: record, entryHash, names }: MigratedRecord,
    password: NativePassword,
    source: string,
  ): Promise<UserId> {
    const migrated = {
      orgId,
      record: { ...record, password: { kind: 'hash', ...password } as const },
      source,
    };
    const prepared = await this.importHumanUser.prepareMigrated(migrated);
    return await this.run(async (tx) => {
      const { id } = await this.importHumanUser.store(tx, prepared);
      const called = [typed, ...namesOf(record, primaryDomain)];
      if (await this.migrations.wereHere(orgId, called, { tx, userId: id, entryHash }))
        throw new UserPreviouslyMigrated();
      await this.migrations.rememberNames(tx, orgId, called);
      await this.settle(tx, orgId, id, { entryHash, names });
      return id;
    });
  }

  /** Gives somebody who was imported without a password the one that they had. @throws ConcurrentMigration */
  async setPassword(
    { orgId, primaryDomain }: ActiveMigration,
    userId: UserId,
    typed: string,
    { human: record, entryHash, names }: MigratedRecord,
    password: NativePassword,
  ): Promise<UserId> {
    return await this.run(async (tx) => {
      await this.giveOldPassword.execute(tx, orgId, userId, record, password);
      // they may be called otherwise one day
      await this.migrations.rememberNames(tx, orgId, [typed, ...namesOf(record, primaryDomain)]);
      await this.settle(tx, orgId, userId, { entryHash, names });
      return userId;
    });
  }

  /** @throws ConcurrentMigration for a directory entry that was migrated by another of its names */
  private async settle(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    { entryHash, names }: Omit<MigratedRecord, 'human'>,
  ): Promise<void> {
    if (entryHash !== undefined && !(await this.migrations.claimEntry(tx, orgId, userId, entryHash))) {
      throw new ConcurrentMigration();
    }
    for (const name of names) await this.passwords.forgetNameAttempts(name, tx);
    await this.migrations.count(orgId, 'migrated', tx);
  }

  private async run(work: (tx: Tx) => Promise<UserId>): Promise<UserId> {
    try {
      return await this.unitOfWork.run(work);
    } catch (error) {
      // of two first sign-ins at once one makes the user
      if (error instanceof ApiError && error.kind === 'already-exists') throw new ConcurrentMigration();
      throw error;
    }
  }
}

/** By what the old system may be asked about them again. */
function namesOf({ userName, email }: HumanRecord, primaryDomain: string | null): readonly string[] {
  const name = canonicalName(userName);
  return [
    name,
    ...(primaryDomain === null ? [] : [`${name}@${primaryDomain}`]),
    ...(email.verified ? [canonicalName(email.address)] : []),
  ];
}
