import { Injectable } from '@nestjs/common';
import type { AccountChange, LockedHuman } from '../accounts/account-changes.js';
import { ChangeEmail } from '../accounts/change-email.js';
import { ChangePhone } from '../accounts/change-phone.js';
import { RemovePhone } from '../accounts/remove-phone.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { ScimToken } from './scim-tokens.store.js';

/** Where a directory says that a user is reached: without a message for every round of it. */
@Injectable()
export class WriteContacts {
  constructor(
    private readonly changeEmail: ChangeEmail,
    private readonly changePhone: ChangePhone,
    private readonly removePhone: RemovePhone,
  ) {}

  /** One that waits for its code already is not sent another one with every round of the directory. */
  async writeEmail(
    tx: Tx,
    { trustsEmails: verified }: ScimToken,
    change: AccountChange,
    { email }: LockedHuman,
    address: string,
  ): Promise<void> {
    if (address === email.address || (!verified && address === email.pending)) return;
    await this.changeEmail.execute(tx, change, { address, verified });
  }

  async writePhone(
    tx: Tx,
    change: AccountChange,
    { phone }: LockedHuman,
    number: string | null | undefined,
  ): Promise<void> {
    if (typeof number === 'string') {
      if (number !== phone?.number) await this.changePhone.replaceQuietly(tx, change, number);
    } else if (phone !== undefined && (number === null || !phone.verified)) {
      await this.removePhone.execute(tx, change);
    }
  }
}
