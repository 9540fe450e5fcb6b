import { z } from 'zod';
import { line } from '../../shared/text-schemas.js';
import { claim, requiredClaims, signOutAtProvider, url } from '../settings-fields.js';

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
type NameIdFormat = keyof typeof NAME_ID_FORMATS;

/** Values from the provider's metadata. Empty at first: the provider has to be set up with our addresses before it has metadata. */
const metadata = z.object({
  entityId: line(1024).optional(),
  ssoUrl: url.optional().meta({ description: 'Where people are sent (binding HTTP-Redirect).' }),
  sloUrl: url.optional().meta({
    description:
      'Where people are sent to sign out, and answers to its own requests (binding HTTP-Redirect).',
  }),
  /** Keys that it signs with. */
  certificates: z
    .array(z.string().min(1).max(20_000, 'must have at most 20000 characters'))
    .max(10, 'must have at most 10 entries')
    .readonly()
    .default([])
    .meta({ description: 'X.509, in PEM or its base64 alone, with RSA keys of at least 2048 bits.' }),
});
export type SamlMetadata = Readonly<z.output<typeof metadata>>;

/** What was read elsewhere. */
export interface ReadSamlMetadata {
  readonly metadata: SamlMetadata;
  /** What was known of the provider when it was asked. */
  readonly before: SamlSettings;
}

/** What of metadata may be another thing than it says. */
export type TypedField = 'ssoUrl' | 'sloUrl' | 'certificates';

/** Bodies and answers of the API are made from it. */
export const samlSettings = metadata
  .extend({
    metadataUrl: url.optional().meta({
      description: 'Where its metadata is read, now and whenever it is refreshed.',
    }),
    nameIdFormat: z
      .enum(Object.keys(NAME_ID_FORMATS) as NameIdFormat[])
      .default('persistent')
      .meta({
        description:
          'Of the NameID by which the provider knows people. `transient` needs a subjectAttribute.',
      }),
    subjectAttribute: claim
      .optional()
      .meta({ description: 'An attribute to know people by, in place of the NameID.' }),
    signRequests: z.boolean().default(true),
    /** To its `sloUrl`, where there is one. */
    signOutAtProvider,
    /** Each assertion is signed by itself. Otherwise a response that is signed as a whole is good enough. */
    wantAssertionsSigned: z.boolean().default(true),
    wantAssertionsEncrypted: z.boolean().default(false),
    trustEmail: z.boolean().default(false).meta({
      description: 'Its addresses count as verified, though SAML has no way to say so.',
    }),
    /** Attributes that must have these values, among others. */
    requiredClaims,
  })
  .superRefine(({ nameIdFormat, subjectAttribute }, context) => {
    if (nameIdFormat !== 'transient' || subjectAttribute !== undefined) return;
    const message = 'transient needs a subjectAttribute: such names are of one sign-in';
    context.addIssue({ code: 'custom', path: ['nameIdFormat'], message });
  });
export type SamlSettings = Readonly<z.output<typeof samlSettings>> & {
  /** Somebody chose these, so they stand when metadata is read again; for providers made before this was noted, nothing is known. */
  readonly typed?: readonly TypedField[] | undefined;
};

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
