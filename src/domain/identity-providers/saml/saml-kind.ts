/**
 * SAML 2.0 (Web Browser SSO Profile, saml-profiles-2.0-os §4.1), with this service as the service provider: its settings. Its key
 * and certificate are made here, and are the secret of the provider.
 */
export const NAME_ID_FORMATS = {
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  emailAddress: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
} as const;
export type NameIdFormat = keyof typeof NAME_ID_FORMATS;

/** What the provider's metadata says. Nothing of it is there until somebody tells: the provider asks for our addresses first. */
export interface SamlMetadata {
  readonly entityId?: string | undefined;
  /** Where people are sent (binding HTTP-Redirect). */
  readonly ssoUrl?: string | undefined;
  /** Where people are sent to sign out, and answers to its own requests (binding HTTP-Redirect). */
  readonly sloUrl?: string | undefined;
  /** Keys that it signs with, as certificates in PEM. */
  readonly certificates: readonly string[];
}

/** What was read elsewhere. */
export interface ReadMetadata {
  readonly metadata: SamlMetadata;
  /** What was known of the provider when it was asked. */
  readonly before: SamlSettings;
}

/** What of metadata may be another thing than it says. */
export type TypedField = 'ssoUrl' | 'sloUrl' | 'certificates';

export interface SamlSettings extends SamlMetadata {
  /** Somebody chose these, so they stand when metadata is read again; for providers made before this was noted, nothing is known. */
  readonly typed?: readonly TypedField[] | undefined;
  /** Where the metadata is read again. */
  readonly metadataUrl?: string | undefined;
  /** By which NameID people are known; one of another format is refused. */
  readonly nameIdFormat: NameIdFormat;
  /** People are known by this attribute, and the NameID does not matter. */
  readonly subjectAttribute?: string | undefined;
  readonly signRequests: boolean;
  /** Whoever signs out here is sent to its `sloUrl`, where there is one. */
  readonly signOutAtProvider?: true | undefined;
  /** Each assertion is signed by itself. Otherwise a response that is signed as a whole is good enough. */
  readonly wantAssertionsSigned: boolean;
  readonly wantAssertionsEncrypted: boolean;
  /** Its addresses count as verified, though SAML has no way to say so. */
  readonly trustEmail: boolean;
  /** Attributes that must have these values, among others. Nobody else gets in. */
  readonly requiredClaims: Readonly<Record<string, string>>;
}

export interface SamlDestination {
  readonly kind: 'saml';
  readonly settings: SamlSettings;
}

/** Ours, of one provider, as it knows them. */
export interface ServiceProviderAddresses {
  readonly entityId: string;
  /** Of the assertion consumer service: where answers come back to. */
  readonly callbackUrl: string;
  /** Of the single logout service, for both bindings. */
  readonly logoutUrl: string;
}
