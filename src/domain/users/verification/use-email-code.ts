import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../../shared/details.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { provesName } from '../email-address.js';
import { canonicalName } from '../names/canonical-name.js';
import { UsersStore, type LockedUser } from '../users.store.js';
import { VerificationCodesStore, type CodeToEvaluate } from './verification-codes.store.js';

/** Thrown inside the transaction, so that nothing of the change stays behind. */
export class CodeRefused extends Error {
  constructor(readonly kind: 'link-over' | 'email-taken') {
    super(kind);
    this.name = 'CodeRefused';
  }
}

/**
 * The effect of every right code from a mail: it is consumed, and the address it went to, if any, is verified,
 * provided that it still is the user's address, that nobody else of the organization verified it first, and that the user is not
 * locked or deactivated. The code row is locked first: of two submissions at once the second waits there and finds it used.
 */
@Injectable()
export class UseEmailCode {
  constructor(
    private readonly codes: VerificationCodesStore,
    private readonly users: UsersStore,
  ) {}

  /** @throws CodeRefused */
  async execute(
    tx: Tx,
    code: CodeToEvaluate,
    change: { readonly newPassword: boolean },
  ): Promise<ResourceDetails> {
    const { orgId, userId } = code;
    await this.useUp(tx, code);
    const details = await this.users.recordChange(tx, orgId, userId, change);
    if (details === undefined) throw new CodeRefused('link-over');
    return details;
  }

  /** The same without the change that it is used for. @returns the user as they were before. @throws CodeRefused */
  async useUp(tx: Tx, { id, orgId, userId, target, provesAddress }: CodeToEvaluate): Promise<LockedUser> {
    // the user's row before their codes, as every change of a user does: two at once must not wait in a circle
    const user = await this.users.lockForUpdate(tx, orgId, userId);
    if (!(await this.codes.end(tx, id))) throw new CodeRefused('link-over');
    if (provesAddress) {
      const canonical = canonicalName(target);
      const address = await this.users.confirmEmail(tx, orgId, userId, target, canonical, provesName(target));
      if (address === 'changed') throw new CodeRefused('link-over');
      if (address === 'taken') throw new CodeRefused('email-taken');
    }
    if (user?.state !== 'initial' && user?.state !== 'active') throw new CodeRefused('link-over');
    return user;
  }
}
