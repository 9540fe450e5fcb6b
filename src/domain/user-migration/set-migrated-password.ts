import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { HumanRecord } from '../imports/records/human-record.js';
import type { EncodedPassword } from '../passwords/passwords.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { StoreNewPassword } from '../users/new-passwords/store-new-password.js';
import { UsersStore } from '../users/users.store.js';
import { EnqueueVerification } from '../users/verification/enqueue-verification.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import { UserMigrationsStore } from './user-migrations.store.js';

/** The password as it is kept here. */
export type NativePassword = EncodedPassword & { readonly changeRequired: boolean };

/** Somebody else was quicker: the user is there, and has a password. */
export class ConcurrentMigration extends Error {
  constructor() {
    super('the user came over meanwhile');
    this.name = 'ConcurrentMigration';
  }
}

/** Gives somebody who was imported without a password the one that they had at the old system. */
@Injectable()
export class SetMigratedPassword {
  constructor(
    private readonly migrations: UserMigrationsStore,
    private readonly users: UsersStore,
    private readonly storeNewPassword: StoreNewPassword,
    private readonly codes: VerificationCodesStore,
    private readonly enqueueVerification: EnqueueVerification,
    private readonly events: EventsStore,
  ) {}

  /** @throws ConcurrentMigration */
  async execute(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    record: HumanRecord,
    password: NativePassword,
  ): Promise<void> {
    const user = await this.users.lockForUpdate(tx, orgId, userId);
    if (user?.type !== 'human') throw new ConcurrentMigration();
    if ((await this.migrations.findUnmigrated(orgId, userId, tx)) === undefined)
      throw new ConcurrentMigration();
    await this.storeNewPassword.setFirst(tx, { ...password, orgId, userId, madeBy: 'organization' });
    const { address, verified } = user.email;
    const isVerified = verified || (await this.vouchFor(tx, orgId, userId, address, record));
    const details = await this.users.recordChange(tx, orgId, userId, { newPassword: true });
    if (details === undefined) throw new ConcurrentMigration();
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
}
