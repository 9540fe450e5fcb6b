import { Injectable } from '@nestjs/common';
import type { OAuthProvider } from '../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import { protocolOf } from '../identity-providers/presets.js';
import {
  ProviderClient,
  ProviderRefused,
  ProviderUnavailable,
} from '../identity-providers/provider-client.js';
import { ProviderSignOutsStore } from '../identity-providers/provider-sign-outs.store.js';
import { Sealer, type SealedPlace } from '../secrets/sealer.js';
import type { Session } from '../sessions/session.js';
import { SessionsStore, type LeftAtProvider } from '../sessions/sessions.store.js';
import { UserAgents } from '../sessions/user-agents.js';
import type { IdentityProviderId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { randomToken, sha256 } from '../shared/random.js';

/** Where the ID token of a sign-in is sealed to: it opens for nobody else, and for no other provider. */
export function hintPlace({ providerId, subject }: Omit<LeftAtProvider, 'hint'>): SealedPlace {
  const rowId = `${providerId} ${subject}`;
  return { purpose: 'provider-id-token', table: 'provider_sessions', column: 'id_token_sealed', rowId };
}

/**
 * Whoever signs out here signs out at their provider as well, where it is set up so (OpenID Connect RP-Initiated Logout 1.0 as a
 * relying party). It comes after the sessions here have ended: a provider that is away, or keeps the browser, keeps nobody signed
 * in. The way back is good once, in that browser, and leads to where the sign-out led before, and to no address that it names.
 */
@Injectable()
export class SignOutAtProvider {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly providers: IdentityProvidersStore,
    private readonly client: ProviderClient,
    private readonly signOuts: ProviderSignOutsStore,
    private readonly agents: UserAgents,
    private readonly sealer: Sealer,
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
    returnUrlOf: (id: IdentityProviderId) => string,
  ): Promise<string | undefined> {
    const [session] = ended;
    if (session === undefined) return undefined;
    const left = await this.sessions.takeLeftAtProviders(ended.map(({ id }) => id));
    for (const one of left) {
      const provider = await this.providers.findActive(one.providerId);
      if (provider === undefined || provider.kind === 'saml' || provider.kind === 'ldap') continue;
      const url = await this.urlFor(provider, one, session, target, returnUrlOf(provider.id));
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
    return await this.signOuts.take(sha256(state), { providerId, userAgentId: agent.id });
  }

  private async urlFor(
    provider: OAuthProvider,
    left: LeftAtProvider,
    { userAgentId }: Session,
    target: string | undefined,
    returnUrl: string,
  ): Promise<string | undefined> {
    const protocol = protocolOf(provider);
    if (protocol.protocol !== 'oidc' || !protocol.signsOut) return undefined;
    const state = randomToken(32);
    try {
      const idToken = (await this.sealer.open(hintPlace(left), left.hint)).toString();
      const url = await this.client.endSessionUrl(provider, { idToken, returnUrl, state });
      if (url === undefined) return undefined;
      await this.signOuts.add(sha256(state), { providerId: provider.id, userAgentId }, target);
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
