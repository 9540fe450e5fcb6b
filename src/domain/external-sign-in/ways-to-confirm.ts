import { Injectable } from '@nestjs/common';
import { FactorsStore, isAskedForFactor } from '../factors/factors.store.js';
import { UserIdentitiesStore } from '../identity-providers/identities/user-identities.store.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import { reauthenticationBy } from '../identity-providers/reauthentication.js';
import { PasskeysStore } from '../passkeys/passkeys.store.js';
import { PasswordsStore } from '../passwords/passwords.store.js';
import type { Session } from '../sessions/session.js';

/** How somebody who is signed in shows once more that it is they. */
interface ConfirmWays {
  readonly hasPassword: boolean;
  /** Where they have an identity and can show that they have just signed in. */
  readonly providers: readonly IdentityProvider[];
  /** They have no other proof of their own here: a code goes to their mailbox. */
  readonly byMail: boolean;
}

/**
 * A password, a provider that says when they signed in there, or, as part of a sign-in, a passkey or another factor. Whoever has
 * neither password nor passkey nor another factor may have a code by mail, too: their provider may be away, not say when they
 * signed in, or answer by a session of its own. It is how they would set a password.
 */
@Injectable()
export class WaysToConfirm {
  constructor(
    private readonly passwords: PasswordsStore,
    private readonly passkeys: PasskeysStore,
    private readonly factors: FactorsStore,
    private readonly identities: UserIdentitiesStore,
    private readonly providers: IdentityProvidersStore,
  ) {}

  async of({ orgId, userId }: Pick<Session, 'orgId' | 'userId'>): Promise<ConfirmWays> {
    const [password, providers] = await Promise.all([
      this.passwords.findByUser(userId),
      this.provingProviders({ orgId, userId }),
    ]);
    const hasPassword = password !== undefined;
    if (hasPassword) return { hasPassword, providers, byMail: false };
    const [passkeys, factors] = await Promise.all([
      this.passkeys.listOfUser(orgId, userId),
      this.factors.findUsable(userId),
    ]);
    const signsIn = passkeys.some(({ passwordless }) => passwordless) || isAskedForFactor(factors);
    return { hasPassword, providers, byMail: !signsIn };
  }

  private async provingProviders({
    orgId,
    userId,
  }: Pick<Session, 'orgId' | 'userId'>): Promise<readonly IdentityProvider[]> {
    const own = await this.identities.listOfUser(orgId, userId);
    const ids = [...new Set(own.map(({ providerId }) => providerId))];
    const usable = await Promise.all(ids.map(async (id) => await this.providers.findUsable(orgId, id)));
    return usable.filter(
      (provider): provider is IdentityProvider =>
        provider !== undefined && reauthenticationBy(provider.kind) === 'proven',
    );
  }
}
