import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { HumanRecord } from '../imports/records/human-record.js';
import { ImportHumanUser } from '../imports/records/import-human-user.js';
import { NameAttemptsStore } from '../passwords/name-attempts.store.js';
import type { EncodedPassword } from '../passwords/passwords.store.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/canonical-name.js';
import { StoreNewPassword } from '../users/store-new-password.js';
import { UsersStore } from '../users/users.store.js';
import { EnqueueVerification } from '../users/verification/enqueue-verification.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import type { Agreed } from './ask-old-system.js';
import { UserMigrationsStore } from './user-migrations.store.js';

/** The password as it is kept here. */
export type NativePassword = EncodedPassword & { readonly changeRequired: boolean };

/** What the old system says of them, what it knows them by for good if that is known, and the names whose tries end with it. */
export type ComingOver = Pick<Agreed, 'human' | 'entryHash' | 'names'>;

/** Somebody else was quicker: the user is there, and has a password. */
export class CameOverAlready extends Error {
  constructor() {
    super('the user came over meanwhile');
    this.name = 'CameOverAlready';
  }
}

/** Writes a user who comes over, in one transaction: a crash leaves nothing, and the old system is asked again. */
@Injectable()
export class BringUserOver {
  constructor(
    private readonly migrations: UserMigrationsStore,
    private readonly attempts: NameAttemptsStore,
    private readonly importHumanUser: ImportHumanUser,
    private readonly users: UsersStore,
    private readonly storeNewPassword: StoreNewPassword,
    private readonly codes: VerificationCodesStore,
    private readonly enqueueVerification: EnqueueVerification,
    private readonly events: EventsStore,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws CameOverAlready, ApiError invalid-argument for what no import would take */
  async create(
    orgId: OrgId,
    { human: record, entryHash, names }: ComingOver,
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
      await this.settle(tx, orgId, id, { entryHash, names });
      return id;
    });
  }

  /** Gives somebody who was imported without a password the one that they had. @throws CameOverAlready */
  async setPassword(
    orgId: OrgId,
    userId: UserId,
    { human: record, entryHash, names }: ComingOver,
    password: NativePassword,
  ): Promise<UserId> {
    return await this.run(async (tx) => {
      const user = await this.users.lockForUpdate(tx, orgId, userId);
      if (user?.type !== 'human') throw new CameOverAlready();
      if ((await this.migrations.findUnmigrated(orgId, userId, tx)) === undefined)
        throw new CameOverAlready();
      await this.storeNewPassword.setFirst(tx, { ...password, orgId, userId });
      const { address, verified } = user.email;
      const isVerified = verified || (await this.vouchFor(tx, orgId, userId, address, record));
      const details = await this.users.recordChange(tx, orgId, userId, { newPassword: true });
      if (details === undefined) throw new CameOverAlready();
      // the invitation would set another password; what is left of it is the proof of the address
      await this.codes.endLive(tx, userId, 'initialise');
      if (!isVerified) {
        await this.enqueueVerification.execute(tx, {
          orgId,
          userId,
          purpose: 'verify_email',
          target: address,
        });
      }
      await this.events.append(tx, {
        orgId,
        aggregateType: 'user',
        aggregateId: userId,
        sequence: details.sequence,
        type: 'user.human.migrated',
        actorId: userId,
        fields: ['password', ...(isVerified && !verified ? ['emailVerified'] : [])],
        data: { passwordScheme: password.scheme, passwordWeak: password.weak },
      });
      await this.settle(tx, orgId, userId, { entryHash, names });
      return userId;
    });
  }

  /** @throws CameOverAlready for an entry of a directory that came over by another of its names */
  private async settle(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    { entryHash, names }: Omit<ComingOver, 'human'>,
  ): Promise<void> {
    if (entryHash !== undefined && !(await this.migrations.claimEntry(tx, orgId, userId, entryHash))) {
      throw new CameOverAlready();
    }
    for (const name of names) await this.attempts.forget(name, tx);
    await this.migrations.count(orgId, 'migrated', tx);
  }

  /** Where the old system says of the very address that it is verified, it counts as that of an import does. */
  private async vouchFor(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    address: string,
    { email }: HumanRecord,
  ): Promise<boolean> {
    const canonical = canonicalName(address);
    if (!email.verified || canonicalName(email.address) !== canonical) return false;
    return (await this.users.confirmEmail(tx, orgId, userId, address, canonical, false)) === 'confirmed';
  }

  private async run(work: (tx: Tx) => Promise<UserId>): Promise<UserId> {
    try {
      return await this.unitOfWork.run(work);
    } catch (error) {
      // of two first sign-ins at once one makes the user
      if (error instanceof ApiError && error.kind === 'already-exists') throw new CameOverAlready();
      throw error;
    }
  }
}
