import { z } from 'zod';
import { PROVIDER_KINDS, type ProviderKind } from '../../../domain/identity-providers/identity-provider.js';
import { CLIENT_AUTHENTICATIONS } from '../../../domain/identity-providers/oauth/oauth-kinds.js';
import { NAME_ID_FORMATS, type NameIdFormat } from '../../../domain/identity-providers/saml/saml-kind.js';
import { line, name } from '../../../domain/shared/text-schemas.js';
import { claim, claimMapping } from './claim-mapping.schemas.js';
import { directoryFields, secret, url } from './directory.schemas.js';
import { whole } from './policy.schemas.js';
import { wireEnum } from './wire-enum.js';

const KINDS = Object.fromEntries(PROVIDER_KINDS.map((kind) => [kind, kind])) as {
  readonly [Kind in ProviderKind]: Kind;
};
export const NAME_IDS = Object.fromEntries(
  Object.keys(NAME_ID_FORMATS).map((format) => [format, format]),
) as {
  readonly [Format in NameIdFormat]: Format;
};
const AUTHENTICATIONS = Object.fromEntries(CLIENT_AUTHENTICATIONS.map((method) => [method, method])) as {
  readonly [Method in (typeof CLIENT_AUTHENTICATIONS)[number]]: Method;
};

/** The largest are of AD FS. */
const MOST_METADATA = 400_000;
/** Printable, as a parameter of OAuth is (RFC 6749 appendix A). */
const parameter = line(400).regex(/^[ -~]+$/, 'must be printable ASCII');

/** All that a provider of any kind may have. */
export const providerFields = z.strictObject({
  kind: wireEnum(KINDS),
  name: name(),
  clientId: parameter.optional(),
  clientSecret: secret.optional().meta({
    description: 'Shown to nobody again. Of Apple: the key file, by which the secret is made.',
  }),
  scopes: z
    .array(z.string().regex(/^[!#-[\]-~]{1,200}$/, 'must be a scope (RFC 6749 section 3.3)'))
    .max(50, 'must have at most 50 entries')
    .optional(),
  requiredClaims: z
    .record(claim, line(500))
    .refine((claims) => Object.keys(claims).length <= 20, 'must have at most 20 entries')
    .default({})
    .meta({ description: 'Claims that must have these values, or nobody gets in.' }),
  mapping: claimMapping.default({ fields: {}, roles: [], metadata: [] }),
  allowCreation: z.boolean().default(false),
  allowLinking: z.boolean().default(true),
  updateOnSignIn: z.boolean().default(false),
  homeRealm: z.boolean().default(false).meta({
    description: "People with an address of the organization's verified domains are sent there.",
  }),
  ...directoryFields,
  timeoutMs: whole(500, 10_000).optional(),
  issuer: url.optional(),
  signOutAtProvider: z.boolean().optional().meta({
    description: 'Whoever signs out here is sent to sign out at the provider as well.',
  }),
  clientAuthentication: wireEnum(AUTHENTICATIONS).optional(),
  authorizationEndpoint: url.optional(),
  tokenEndpoint: url.optional(),
  userinfoEndpoint: url.optional(),
  emailsEndpoint: url.optional(),
  subjectClaim: claim.optional(),
  tenant: z
    .string()
    // the issuer that Entra names has the id of the directory, whichever of its domains it was asked by
    .regex(
      /^([\dA-Fa-f]{8}(-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}|common|organizations|consumers)$/,
      'must be the id of a directory, common, organizations or consumers',
    )
    .optional(),
  teamId: z
    .string()
    .regex(/^[A-Za-z0-9]{10}$/, 'must have 10 letters and digits')
    .optional(),
  keyId: z
    .string()
    .regex(/^[A-Za-z0-9]{10}$/, 'must have 10 letters and digits')
    .optional(),
  metadata: z.string().min(1).max(MOST_METADATA).optional().meta({
    description: 'XML of the provider, in place of its single fields. What is given beside it stands.',
  }),
  metadataUrl: url.optional().meta({
    description: 'Where its metadata is read, now and whenever it is refreshed.',
  }),
  entityId: line(1024).optional(),
  ssoUrl: url.optional().meta({ description: 'Where people are sent (binding HTTP-Redirect).' }),
  sloUrl: url.optional().meta({
    description:
      'Where people are sent to sign out, and answers to its own requests (binding HTTP-Redirect).',
  }),
  certificates: z
    .array(z.string().min(1).max(20_000, 'must have at most 20000 characters'))
    .max(10, 'must have at most 10 entries')
    .optional()
    .meta({ description: 'X.509, in PEM or its base64 alone, with RSA keys of at least 2048 bits.' }),
  nameIdFormat: wireEnum(NAME_IDS).optional().meta({
    description: 'Of the NameID by which the provider knows people. `transient` needs a subjectAttribute.',
  }),
  subjectAttribute: claim
    .optional()
    .meta({ description: 'An attribute to know people by, in place of the NameID.' }),
  signRequests: z.boolean().optional(),
  wantAssertionsSigned: z.boolean().optional(),
  wantAssertionsEncrypted: z.boolean().optional(),
  trustEmail: z.boolean().optional().meta({
    description: 'Its addresses count as verified, though SAML has no way to say so.',
  }),
});
export type ProviderFields = z.output<typeof providerFields>;

const CLIENT = ['clientId', 'clientSecret', 'secretExpirationDate', 'scopes'] as const;
/** What goes with one kind, and is refused of the others. */
export const OF_A_KIND = {
  oidc: [...CLIENT, 'issuer', 'clientAuthentication', 'signOutAtProvider'],
  oauth2: [
    ...CLIENT,
    'authorizationEndpoint',
    'tokenEndpoint',
    'userinfoEndpoint',
    'emailsEndpoint',
    'subjectClaim',
    'clientAuthentication',
  ],
  microsoft: [...CLIENT, 'tenant', 'signOutAtProvider'],
  apple: [...CLIENT, 'teamId', 'keyId'],
  gitlab: [...CLIENT, 'issuer'],
  google: CLIENT,
  github: CLIENT,
  linkedin: CLIENT,
  saml: [
    'metadata',
    'metadataUrl',
    'entityId',
    'ssoUrl',
    'sloUrl',
    'signOutAtProvider',
    'certificates',
    'nameIdFormat',
    'subjectAttribute',
    'signRequests',
    'wantAssertionsSigned',
    'wantAssertionsEncrypted',
    'trustEmail',
  ],
  ldap: [
    'urls',
    'startTls',
    'caCertificate',
    'baseDn',
    'bindDn',
    'bindPassword',
    'secretExpirationDate',
    'userFilter',
    'subjectAttribute',
    'trustEmail',
    'timeoutMs',
  ],
} as const satisfies Readonly<Record<ProviderKind, readonly (keyof ProviderFields)[]>>;
