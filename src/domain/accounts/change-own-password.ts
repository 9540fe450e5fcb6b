import { Injectable } from '@nestjs/common';
import { HashingBill } from '../passwords/hashing/hashing-bill.js';
import { passwordRefusal, requirePasswordText } from '../passwords/password-policy.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { AccountChanges, type AccountChange } from './account-changes.js';
import { ChangePassword } from './change-password.js';

/** `ChangePassword` for whoever calls an API: what a page would show is returned as an error. */
@Injectable()
export class ChangeOwnPassword {
  constructor(
    private readonly changePassword: ChangePassword,
    private readonly account: AccountChanges,
  ) {}

  /** @throws ApiError invalid-argument, HashingOverloaded */
  async prepare(
    change: AccountChange,
    current: string,
    next: string,
    source: string,
  ): Promise<(tx: Tx) => Promise<ResourceDetails>> {
    const { orgId, userId } = change;
    requirePasswordText(next);
    const bill = HashingBill.administration(orgId, source);
    const prepared = await this.changePassword.prepare({ orgId, userId, current, next, bill });
    if (prepared.kind === 'password-unchanged') {
      throw new ApiError(
        'invalid-argument',
        'The new password must differ from the current one',
        'COMMAND-Aesh5',
      );
    }
    if (prepared.kind === 'password-too-weak') {
      const [first = 'unguessable'] = prepared.unmet;
      throw passwordRefusal(first);
    }
    // what is left is a wrong password, or too many of them
    if (prepared.kind !== 'ready') {
      throw new ApiError('invalid-argument', 'Password is invalid', 'COMMAND-3M0fs');
    }
    return async (tx) => {
      if (!(await prepared.apply(tx))) {
        throw new ApiError('aborted', 'The password was changed meanwhile', 'COMMAND-5Ks2d');
      }
      return (await this.account.lockForUpdate(tx, change)).details;
    };
  }
}
