import { Injectable } from '@nestjs/common';
import type { IdentityProvider } from '../../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../../identity-providers/identity-providers.store.js';
import { ProviderRefused, ProviderUnavailable } from '../../identity-providers/provider-client.js';
import type { Session } from '../../sessions/session.js';
import { SessionsStore, type ProviderLogoutHint } from '../../sessions/sessions.store.js';
import { UserAgents } from '../../sessions/user-agents.js';
import type { IdentityProviderId } from '../../shared/ids.js';
import { Log } from '../../shared/log.js';
import { randomToken, sha256 } from '../../shared/random.js';
import { ProviderRequestsStore } from '../provider-requests.store.js';
import { SignOutUrls, type WaysBack } from './sign-out-urls.js';

/**
 * Whoever signs out here signs out at their provider as well, where it is set up so (OpenID Connect RP-Initiated Logout 1.0 as a
 * relying party, or Single Logout of SAML 2.0 as a service provider). It comes after the sessions here have ended: a provider that
 * is away, or keeps the browser, keeps nobody signed in. The way back is good once, in that browser, and leads to where the sign-out
 * led before, and to no address that it names.
 */
@Injectable()
export class SignOutAtProvider {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly providers: IdentityProvidersStore,
    private readonly urls: SignOutUrls,
    private readonly requests: ProviderRequestsStore,
    private readonly agents: UserAgents,
    private readonly log: Log,
  ) {}

  /**
   * @param ended sessions of one browser, which have just ended. A browser can go to one place: that of the last sign-in
   * @param target where an application wants the browser afterwards, checked
   * @returns where to send the browser; undefined where there is nothing to do
   */
  async begin(
    ended: readonly Session[],
    target: string | undefined,
    waysBack: (id: IdentityProviderId) => WaysBack,
  ): Promise<string | undefined> {
    const [session] = ended;
    if (session === undefined) return undefined;
    const left = await this.sessions.takeLeftAtProviders(ended.map(({ id }) => id));
    for (const one of left) {
      const provider = await this.providers.findActive(one.providerId);
      if (provider === undefined) continue;
      const url = await this.urlFor(provider, one, session, target, waysBack(provider.id));
      if (url !== undefined) return url;
    }
    return undefined;
  }

  /** @returns undefined for a way back that is none, or none any more */
  async finish(
    providerId: IdentityProviderId,
    state: string,
    userAgentSecret: string | undefined,
  ): Promise<{ readonly target: string | undefined } | undefined> {
    const agent = await this.agents.find(userAgentSecret);
    if (agent === undefined || state === '') return undefined;
    return await this.requests.takeSignOut(sha256(state), { providerId, userAgentId: agent.id });
  }

  private async urlFor(
    provider: IdentityProvider,
    left: ProviderLogoutHint,
    { userAgentId }: Session,
    target: string | undefined,
    waysBack: WaysBack,
  ): Promise<string | undefined> {
    const state = randomToken(32);
    try {
      const url = await this.urls.find(provider, left, state, waysBack);
      if (url === undefined) return undefined;
      await this.requests.addSignOut(sha256(state), { providerId: provider.id, userAgentId }, target);
      return url;
    } catch (error) {
      if (!(error instanceof ProviderUnavailable || error instanceof ProviderRefused)) throw error;
      this.log.warn('an identity provider is not available', {
        providerId: provider.id,
        reason: error.message,
      });
      return undefined;
    }
  }
}
