import { Injectable } from '@nestjs/common';
import { IdentityProvidersStore } from '../../identity-providers/identity-providers.store.js';
import { ProviderClient, ProviderRefused } from '../../identity-providers/provider-client.js';
import { SessionsStore } from '../../sessions/sessions.store.js';
import type { IdentityProviderId } from '../../shared/ids.js';
import { Log } from '../../shared/log.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';

/**
 * A provider says that somebody is signed out there (OpenID Connect Back-Channel Logout 1.0 as a relying party). The sessions here
 * that began with that one end, with all that hangs from them; no other, whoever the user is, so that a provider ends nothing that
 * it did not begin. The same token once more ends nothing: what began since is younger than the token.
 */
@Injectable()
export class ReceiveProviderLogout {
  constructor(
    private readonly providers: IdentityProvidersStore,
    private readonly client: ProviderClient,
    private readonly sessions: SessionsStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  /** @returns how many ended. @throws ProviderUnavailable, ProviderRefused */
  async execute(providerId: IdentityProviderId, token: string): Promise<number> {
    const provider = await this.providers.findActive(providerId);
    if (provider === undefined || provider.kind === 'saml' || provider.kind === 'ldap') {
      throw new ProviderRefused('there is no such provider that signs people out');
    }
    const { subject, session, issuedAt: at } = await this.client.readLogoutToken(provider, token);
    const over = { providerId, subject, providerSession: session, at };
    const ended = await this.unitOfWork.run(async (tx) => {
      await this.sessions.rememberEnded(tx, over);
      const ids = await this.sessions.listOfProvider(tx, over);
      return ids.length === 0 ? 0 : await this.sessions.end(tx, ids, 'ended_by_provider', null);
    });
    if (ended === 0) return 0;
    this.log.info('an identity provider has signed somebody out', { providerId, sessions: ended });
    return ended;
  }
}
