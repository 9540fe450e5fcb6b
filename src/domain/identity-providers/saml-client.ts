import type { IdentityProvider } from './identity-provider.js';
import type { ExternalIdentity, HandedOn } from './provider-client.js';
import type { SamlDestination, SamlMetadata, ServiceProviderAddresses } from './saml-kind.js';

export type SamlProvider = IdentityProvider & SamlDestination;

/** What an answer must be an answer to. */
export interface SamlRequest {
  /** `ID` of the AuthnRequest, which the assertion names. */
  readonly id: string;
  readonly maxAge: number | undefined;
}

export interface SamlAnswer extends ExternalIdentity {
  /** Good once, whichever request it claims to answer. */
  readonly assertionId: string;
}

/** Speaks SAML with a provider. */
export abstract class SamlClient {
  /** Where the browser is sent with an AuthnRequest (binding HTTP-Redirect). @throws ProviderUnavailable while metadata is missing */
  abstract requestUrl(
    provider: SamlProvider,
    asked: HandedOn,
    request: SamlRequest & { readonly relayState: string },
    addresses: ServiceProviderAddresses,
  ): Promise<string>;

  /**
   * Who a response speaks of (binding HTTP-POST). Nothing is believed but what is signed by a key of the provider.
   * @param response base64, as it was posted
   * @throws ProviderRefused
   */
  abstract readResponse(
    provider: SamlProvider,
    response: string,
    request: SamlRequest,
    addresses: ServiceProviderAddresses,
  ): Promise<SamlAnswer>;

  /** Ours, for the provider to read. */
  abstract ownMetadata(provider: SamlProvider, addresses: ServiceProviderAddresses): Promise<string>;

  /** @throws ProviderRefused for what is no metadata of an identity provider, or has expired */
  abstract readMetadata(xml: string): Promise<SamlMetadata>;

  /** @throws ProviderUnavailable, ProviderRefused */
  abstract fetchMetadata(url: string): Promise<SamlMetadata>;

  /** A private key and a certificate of its own, in PEM: the secret of a provider. */
  abstract makeKey(): Promise<string>;
}
