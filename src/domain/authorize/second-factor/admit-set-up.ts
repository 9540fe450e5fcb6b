import { Injectable } from '@nestjs/common';
import { CODE_FACTORS } from '../../factors/codes/code-factor.js';
import { PasskeysStore } from '../../passkeys/passkeys.store.js';
import { PasswordsStore } from '../../passwords/passwords.store.js';
import { FRESH_SECONDS, isFresh } from '../../sessions/proof.js';
import type { Session } from '../../sessions/session.js';
import { UsersStore } from '../../users/users.store.js';

/**
 * What is set up in the middle of a sign-in opens the account from then on. So it takes a fresh proof, as it does on the pages of
 * the account: a policy can ask for a factor in a session that began days ago, whoever is at the browser by now (security S510).
 */
@Injectable()
export class AdmitSetUp {
  constructor(
    private readonly passwords: PasswordsStore,
    private readonly passkeys: PasskeysStore,
    private readonly users: UsersStore,
  ) {}

  async admits(session: Session): Promise<boolean> {
    if (isFresh(session)) return true;
    // only a provider that proves nothing has renewed it
    return session.authAgeSeconds <= FRESH_SECONDS && (await this.hasNothingToShow(session));
  }

  /** Their provider's word has to do, or they would never get in. Nobody has used such an account: every sign-in ends at verifying the address. */
  private async hasNothingToShow({ orgId, userId }: Session): Promise<boolean> {
    const user = await this.users.find(orgId, userId);
    if (user?.type !== 'human' || CODE_FACTORS.email.targetOf(user) !== undefined) return false;
    if ((await this.passwords.findByUser(userId)) !== undefined) return false;
    // one that is a second factor only signs nobody in
    return !(await this.passkeys.listOfUser(orgId, userId)).some(({ passwordless }) => passwordless);
  }
}
