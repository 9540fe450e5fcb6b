import { Injectable } from '@nestjs/common';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import {
  ProviderClient,
  ProviderRefused,
  ProviderUnavailable,
  type ExternalSecrets,
  type ForwardedParameters,
} from '../identity-providers/provider-client.js';
import { SamlClient } from '../identity-providers/saml/saml-client.js';
import type { ServiceProviderAddresses } from '../identity-providers/saml/saml-kind.js';
import type { UserAgentId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { randomToken, sha256 } from '../shared/random.js';
import { ProviderRequestsStore, type ExternalPurpose } from './provider-requests.store.js';

export type SentToProvider =
  | { readonly kind: 'begun'; readonly url: string; readonly provider: string }
  | { readonly kind: 'unavailable' };

/**
 * Sends a browser to a provider. It begins with a row that only the browser that began it can take back, once, in an answer at the
 * address of that very provider (RFC 9700 §4.4): state, nonce and the verifier of PKCE are in it, none of them is ever used twice,
 * and an answer to another browser or provider finds nothing.
 */
@Injectable()
export class SendToProvider {
  constructor(
    private readonly requests: ProviderRequestsStore,
    private readonly client: ProviderClient,
    private readonly saml: SamlClient,
    private readonly log: Log,
  ) {}

  async execute(
    provider: IdentityProvider,
    userAgentId: UserAgentId,
    purpose: ExternalPurpose,
    asked: ForwardedParameters,
    addresses: ServiceProviderAddresses,
  ): Promise<SentToProvider> {
    const secrets = { state: randomToken(32), nonce: randomToken(32), codeVerifier: randomToken(32) };
    try {
      const url = await this.urlOf(provider, asked, secrets, addresses);
      const { state, ...kept } = secrets;
      const place = { providerId: provider.id, userAgentId };
      await this.requests.addSignIn(sha256(state), place, { ...kept, purpose, maxAge: asked.maxAge });
      return { kind: 'begun', url, provider: provider.name };
    } catch (error) {
      // a discovery document that is none, or another issuer's, is no better than no answer
      if (!(error instanceof ProviderUnavailable || error instanceof ProviderRefused)) throw error;
      this.log.warn('an identity provider is not available', {
        providerId: provider.id,
        reason: error.message,
      });
      return { kind: 'unavailable' };
    }
  }

  private async urlOf(
    provider: IdentityProvider,
    asked: ForwardedParameters,
    secrets: ExternalSecrets,
    addresses: ServiceProviderAddresses,
  ): Promise<string> {
    if (provider.kind === 'ldap') {
      return directoryFormUrl(addresses.callbackUrl, secrets.state, asked.loginHint);
    }
    if (provider.kind !== 'saml') {
      return await this.client.authorizationUrl(provider, asked, secrets, addresses.callbackUrl);
    }
    const { state: relayState, nonce } = secrets;
    const request = { id: requestIdOf(nonce), maxAge: asked.maxAge, relayState };
    return await this.saml.requestUrl(provider, asked, request, addresses);
  }
}

/** An `ID` of XML begins with no digit. */
export function requestIdOf(nonce: string): string {
  return `_${nonce}`;
}

/** A directory has no page of its own: the form is ours, beside the address that answers of other providers come back to. */
function directoryFormUrl(callbackUrl: string, state: string, loginHint: string | undefined): string {
  const url = new URL('directory', callbackUrl);
  url.searchParams.set('state', state);
  if (loginHint !== undefined) url.searchParams.set('hint', loginHint);
  return url.href;
}
