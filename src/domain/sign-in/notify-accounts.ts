import { Injectable } from '@nestjs/common';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import { sealedChoice } from '../notifications/reset-choice.js';
import { Sealer } from '../secrets/sealer.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { isPlainAddress } from '../users/email-address.js';
import { digestOfSource } from '../users/verification/verification-code.js';
import { SignInNamesStore, type SignInPlace } from './sign-in-names.store.js';

/**
 * Notifies the owner of an address, and nobody else, of the accounts that it could mean if it is ambiguous: their full
 * login names and organizations, and what each needs. The mail goes to that very address. It lists accounts that the
 * owner has proven or whose organization has the address's domain verified, and those of the organizations of the place:
 * an account of any other organization, which only claims the address, is not listed, and the organization learns nothing. No code
 * is in the mail, so nothing in it can be used.
 */
@Injectable()
export class NotifyAccounts {
  constructor(
    private readonly names: SignInNamesStore,
    private readonly enqueueNotification: EnqueueNotification,
    private readonly sealer: Sealer,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @param address in canonical form
   * @param askedFrom the address of the request
   * @returns of how many accounts; 0 when there are none, or the last such mail is too recent
   */
  async execute(address: string, place: SignInPlace, askedFrom: string): Promise<number> {
    const found = await this.names.findAccountsOf(address, place);
    // one that only looks like the typed one is another mailbox
    const accounts = found.filter((account) => isPlainAddress(account.address));
    const [first] = accounts;
    if (first === undefined) return 0;
    const userIds = accounts.map(({ userId }) => userId);
    const source = digestOfSource(this.sealer, askedFrom);
    const isTold = await this.unitOfWork.run(async (tx) => {
      if (!(await this.names.mayNotifyAccounts(tx, address, userIds, source))) return false;
      await this.enqueueNotification.execute(tx, {
        orgId: first.orgId,
        userId: first.userId,
        template: 'reset_choice',
        source,
        codeId: null,
        code: sealedChoice({ address: first.address, accounts }),
        expiresAt: null,
      });
      return true;
    });
    return isTold ? accounts.length : 0;
  }
}
