import type { IdentityProvider } from '../identity-provider.js';
import type { ExternalIdentity, ForwardedParameters } from '../provider-client.js';
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

/** NameID and SessionIndex of a user at the provider, which a LogoutRequest must contain. */
export interface SamlName {
  readonly nameId: string;
  readonly format: string;
  readonly nameQualifier?: string | undefined;
  readonly spNameQualifier?: string | undefined;
  readonly sessionIndex?: string | undefined;
}

/** A LogoutRequest by way of the browser, as it came: the query as it stands, whose signature is over these bytes, or a form's field. */
export type SamlMessage = { readonly query: string } | { readonly posted: string };

/** What a provider says has ended there, checked. */
export interface SamlLogout {
  /** Good once. */
  readonly id: string;
  /** As `ExternalIdentity.name`. */
  readonly name: string;
  /** Empty for all of that name. */
  readonly sessions: readonly string[];
  /** Seconds since 1970. */
  readonly issuedAt: number;
  /** Echoed, where the provider keeps something by it. */
  readonly relayState: string | undefined;
}

/** Speaks SAML with a provider. */
export abstract class SamlClient {
  /** Where the browser is sent with an AuthnRequest (binding HTTP-Redirect). @throws ProviderUnavailable while metadata is missing */
  abstract requestUrl(
    provider: SamlProvider,
    asked: ForwardedParameters,
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

  /**
   * Where the browser is sent to sign out there, with a signed LogoutRequest (saml-profiles-2.0-os §4.4, binding HTTP-Redirect);
   * undefined for a provider that has no such address.
   */
  abstract logoutRequestUrl(
    provider: SamlProvider,
    name: SamlName,
    request: { readonly id: string; readonly relayState: string },
    addresses: ServiceProviderAddresses,
  ): Promise<string | undefined>;

  /** What has ended there. Nothing is believed but what is signed by a key of the provider. @throws ProviderRefused */
  abstract readLogoutRequest(
    provider: SamlProvider,
    message: SamlMessage,
    addresses: ServiceProviderAddresses,
  ): Promise<SamlLogout>;

  /** Where the browser takes our signed answer to a LogoutRequest. @throws ProviderRefused for a provider without `sloUrl` */
  abstract logoutResponseUrl(
    provider: SamlProvider,
    request: SamlLogout,
    addresses: ServiceProviderAddresses,
  ): Promise<string>;

  /** Ours, for the provider to read. */
  abstract ownMetadata(provider: SamlProvider, addresses: ServiceProviderAddresses): Promise<string>;

  /** @throws ProviderRefused for what is no metadata of an identity provider, or has expired */
  abstract readMetadata(xml: string): Promise<SamlMetadata>;

  /** @throws ProviderUnavailable, ProviderRefused */
  abstract fetchMetadata(url: string): Promise<SamlMetadata>;

  /** A private key and a certificate of its own, in PEM: the secret of a provider. */
  abstract makeKey(): Promise<string>;
}
