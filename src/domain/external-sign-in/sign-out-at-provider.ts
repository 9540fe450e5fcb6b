import { Injectable } from '@nestjs/common';
import type { IdentityProvider, OAuthProvider } from '../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import { protocolOf } from '../identity-providers/presets.js';
import {
  ProviderClient,
  ProviderRefused,
  ProviderUnavailable,
} from '../identity-providers/provider-client.js';
import { ProviderSignOutsStore } from '../identity-providers/provider-sign-outs.store.js';
import { SamlClient, type SamlName, type SamlProvider } from '../identity-providers/saml-client.js';
import type { ServiceProviderAddresses } from '../identity-providers/saml-kind.js';
import { Sealer, type SealedPlace } from '../secrets/sealer.js';
import type { Session } from '../sessions/session.js';
import { SessionsStore, type LeftAtProvider } from '../sessions/sessions.store.js';
import { UserAgents } from '../sessions/user-agents.js';
import type { IdentityProviderId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { randomToken, sha256 } from '../shared/random.js';

/** Ours, as one provider knows them. */
export interface WaysBack {
  /** From a provider of OpenID Connect. */
  readonly returnUrl: string;
  readonly saml: ServiceProviderAddresses;
}

/** Where the ID token of a sign-in, or the NameID of SAML, is sealed to: it opens for nobody else, and for no other provider. */
export function hintPlace({
  providerId,
  subject,
}: Pick<LeftAtProvider, 'providerId' | 'subject'>): SealedPlace {
  const rowId = `${providerId} ${subject}`;
  return { purpose: 'provider-id-token', table: 'provider_sessions', column: 'id_token_sealed', rowId };
}

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
    private readonly client: ProviderClient,
    private readonly saml: SamlClient,
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
    return await this.signOuts.take(sha256(state), { providerId, userAgentId: agent.id });
  }

  private async urlFor(
    provider: IdentityProvider,
    left: LeftAtProvider,
    { userAgentId }: Session,
    target: string | undefined,
    waysBack: WaysBack,
  ): Promise<string | undefined> {
    if (!signsOut(provider)) return undefined;
    const state = randomToken(32);
    try {
      const hint = (await this.sealer.open(hintPlace(left), left.hint)).toString();
      const url = await (provider.kind === 'saml'
        ? this.saml.logoutRequestUrl(
            provider,
            JSON.parse(hint) as SamlName,
            { id: `_${randomToken(32)}`, relayState: state },
            waysBack.saml,
          )
        : this.client.endSessionUrl(provider, { idToken: hint, returnUrl: waysBack.returnUrl, state }));
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

function signsOut(provider: IdentityProvider): provider is OAuthProvider | SamlProvider {
  if (provider.kind === 'ldap') return false;
  if (provider.kind === 'saml') return provider.settings.signOutAtProvider === true;
  const protocol = protocolOf(provider);
  return protocol.protocol === 'oidc' && protocol.signsOut;
}
