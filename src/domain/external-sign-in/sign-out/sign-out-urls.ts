import { Injectable } from '@nestjs/common';
import type { IdentityProvider, OAuthProvider } from '../../identity-providers/identity-provider.js';
import { protocolOf } from '../../identity-providers/oauth/presets.js';
import { ProviderClient } from '../../identity-providers/provider-client.js';
import { SamlClient, type SamlName, type SamlProvider } from '../../identity-providers/saml/saml-client.js';
import type { ServiceProviderAddresses } from '../../identity-providers/saml/saml-kind.js';
import type { ProviderLogoutHint } from '../../sessions/sessions.store.js';
import { randomToken } from '../../shared/random.js';
import { SignOutHints } from './sign-out-hints.js';

/** Ours, as one provider knows them. */
export interface WaysBack {
  /** From a provider of OpenID Connect. */
  readonly returnUrl: string;
  readonly saml: ServiceProviderAddresses;
}

/** Where a browser goes to sign out at a provider, by the protocol that the provider speaks. */
@Injectable()
export class SignOutUrls {
  constructor(
    private readonly hints: SignOutHints,
    private readonly client: ProviderClient,
    private readonly saml: SamlClient,
  ) {}

  /**
   * @param state which the browser comes back with
   * @returns undefined for a provider that nobody signs out at
   * @throws ProviderUnavailable, ProviderRefused
   */
  async find(
    provider: IdentityProvider,
    left: ProviderLogoutHint,
    state: string,
    { returnUrl, saml }: WaysBack,
  ): Promise<string | undefined> {
    if (!signsOut(provider)) return undefined;
    const hint = await this.hints.open(left);
    if (provider.kind !== 'saml') {
      return await this.client.endSessionUrl(provider, { idToken: hint, returnUrl, state });
    }
    const request = { id: `_${randomToken(32)}`, relayState: state };
    return await this.saml.logoutRequestUrl(provider, JSON.parse(hint) as SamlName, request, saml);
  }
}

function signsOut(provider: IdentityProvider): provider is OAuthProvider | SamlProvider {
  if (provider.kind === 'ldap') return false;
  if (provider.kind === 'saml') return provider.settings.signOutAtProvider === true;
  const protocol = protocolOf(provider);
  return protocol.protocol === 'oidc' && protocol.signsOut;
}
