import { z } from 'zod';
import {
  MAPPED_FIELDS,
  NO_MAPPING,
  type ClaimMapping,
} from '../../domain/identity-providers/claim-mapping.js';
import {
  PROVIDER_KINDS,
  type IdentityProviderPlan,
  type ProviderKind,
} from '../../domain/identity-providers/identity-provider.js';
import type { IdentityProviderRecord } from '../../domain/identity-providers/identity-providers.store.js';
import type { LdapSettings } from '../../domain/identity-providers/ldap-kind.js';
import { CLIENT_AUTHENTICATIONS } from '../../domain/identity-providers/oauth-kinds.js';
import type { GivenProvider } from '../../domain/identity-providers/prepare-provider.js';
import { GITLAB_COM, USUAL_SCOPES } from '../../domain/identity-providers/presets.js';
import { rulesOf } from '../../domain/identity-providers/rules-of-kind.js';
import {
  NAME_ID_FORMATS,
  type NameIdFormat,
  type SamlSettings,
} from '../../domain/identity-providers/saml-kind.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { ProjectId } from '../../domain/shared/ids.js';
import { idSchema } from './answer-schemas.js';
import { answerFrom, detailsOfCreation, detailsOfRecord } from './answers.js';
import { line, name } from './api-fields.js';
import { idField } from './id-field.js';
import { moment } from './moment.js';
import { shownNumber, whole } from './policy.schemas.js';
import { wireEnum } from './wire-enum.js';

const KINDS = Object.fromEntries(PROVIDER_KINDS.map((kind) => [kind, kind])) as {
  readonly [Kind in ProviderKind]: Kind;
};
const NAME_IDS = Object.fromEntries(Object.keys(NAME_ID_FORMATS).map((format) => [format, format])) as {
  readonly [Format in NameIdFormat]: Format;
};
const AUTHENTICATIONS = Object.fromEntries(CLIENT_AUTHENTICATIONS.map((method) => [method, method])) as {
  readonly [Method in (typeof CLIENT_AUTHENTICATIONS)[number]]: Method;
};

/** The largest are of AD FS. */
const MOST_METADATA = 400_000;
/** Printable, as a parameter of OAuth is (RFC 6749 appendix A). */
const parameter = line(400).regex(/^[ -~]+$/, 'must be printable ASCII');
const USUAL_TIMEOUT_MS = 5_000;

/** A key of Apple has lines. A secret is taken as it is: a space at its end belongs to it. */
const secret = z
  .string()
  .min(1, 'must have 1 to 4000 characters')
  .max(4000, 'must have 1 to 4000 characters')
  .refine((value) => !value.includes('\u0000'), 'must not contain NUL');
const url = line(2000);
const claim = line(200);

const mappedFields = z
  .strictObject(Object.fromEntries(MAPPED_FIELDS.map((field) => [field, claim.optional()])))
  .default({});
const MAPPING = {
  description: 'From which claim each thing comes; `a.b` is the member `b` of the claim `a`.',
};

/** Of the fields of an account alone. */
export const fieldMapping = z
  .strictObject({ fields: mappedFields })
  .transform((given): ClaimMapping => ({ ...NO_MAPPING, fields: given.fields as ClaimMapping['fields'] }))
  .meta(MAPPING);

const mapping = z
  .strictObject({
    fields: mappedFields,
    roles: z
      .array(
        z.strictObject({
          claim,
          value: line(500),
          projectId: idField<ProjectId>(),
          roleKey: line(200),
        }),
      )
      .max(100, 'must have at most 100 entries')
      .default([]),
    metadata: z
      .array(z.strictObject({ claim, key: line(200) }))
      .max(50, 'must have at most 50 entries')
      .default([]),
  })
  .transform((given): ClaimMapping => given as ClaimMapping)
  .meta(MAPPING);

/** Of a directory, which an organization's users may come over from as well (user-migration.schemas.ts). */
export const directoryFields = {
  urls: z
    .array(url)
    .min(1, 'must have 1 to 5 entries')
    .max(5, 'must have 1 to 5 entries')
    .optional()
    .meta({ description: 'Of a directory: `ldaps://…`; the next one where one does not answer.' }),
  startTls: z.boolean().optional(),
  caCertificate: z.string().max(20_000, 'must have at most 20000 characters').optional(),
  baseDn: line(1000).optional(),
  bindDn: line(1000).optional().meta({ description: 'Who looks people up in the directory.' }),
  bindPassword: secret.optional().meta({ description: 'Of `bindDn`. Shown to nobody again.' }),
  secretExpirationDate: moment().optional().meta({
    description:
      'When the secret or `bindPassword` is taken no longer: somebody is warned thirty days before.',
  }),
  userFilter: line(2000).optional().meta({
    description: 'RFC 4515, with `{loginName}` for what was typed.',
  }),
  subjectAttribute: claim.optional().meta({
    description: 'By which the directory knows people for good: `entryUUID`, `objectGUID`.',
  }),
  trustEmail: z.boolean().optional().meta({ description: 'Its addresses count as verified.' }),
};

const fields = z.strictObject({
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
  mapping: mapping.default({ fields: {}, roles: [], metadata: [] }),
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
type Fields = z.output<typeof fields>;

const CLIENT = ['clientId', 'clientSecret', 'secretExpirationDate', 'scopes'] as const;
const OF_A_KIND = {
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
} as const satisfies Readonly<Record<ProviderKind, readonly (keyof Fields)[]>>;
const OF_SOME_KINDS: ReadonlySet<string> = new Set(Object.values(OF_A_KIND).flat());

const EXAMPLES = [
  {
    kind: 'oidc',
    name: 'Acme directory',
    clientId: 'identity-service',
    clientSecret: 'not-a-real-secret',
    issuer: 'https://sso.acme.example.com',
    allowCreation: true,
    mapping: { metadata: [{ claim: 'department', key: 'department' }] },
  },
  {
    kind: 'saml',
    name: 'Acme sign-in',
    nameIdFormat: 'emailAddress',
    allowCreation: true,
  },
  {
    kind: 'ldap',
    name: 'Acme accounts',
    urls: ['ldaps://directory.acme.example.com'],
    baseDn: 'ou=people,dc=acme,dc=example,dc=com',
    bindDn: 'cn=identity,ou=services,dc=acme,dc=example,dc=com',
    bindPassword: 'not-a-real-secret',
    userFilter: '(&(objectClass=person)(|(uid={loginName})(mail={loginName})))',
    subjectAttribute: 'entryUUID',
    allowCreation: true,
  },
  {
    kind: 'google',
    name: 'Google',
    clientId: 'not-a-real-client',
    clientSecret: 'not-a-real-secret',
  },
];

/** What else each kind cannot do without, for whoever reads the document; `planOf` asks for it. */
const NEEDED = ofKind(
  ['oidc'],
  ['issuer'],
  ofKind(
    ['oauth2'],
    ['authorizationEndpoint', 'tokenEndpoint', 'userinfoEndpoint', 'subjectClaim'],
    ofKind(
      ['microsoft'],
      ['tenant'],
      ofKind(
        ['apple'],
        ['teamId', 'keyId'],
        ofKind(
          ['ldap'],
          ['urls', 'baseDn', 'bindDn', 'userFilter'],
          ofKind(['google', 'github', 'gitlab', 'linkedin'], [], {}),
        ),
      ),
    ),
  ),
);

function ofKind(kinds: readonly ProviderKind[], needed: readonly string[], otherwise: object) {
  return {
    if: { properties: { kind: { enum: kinds } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, which nobody awaits
    then: {
      required: [...(kinds.includes('saml') || kinds.includes('ldap') ? [] : ['clientId']), ...needed],
    },
    else: otherwise,
  };
}

/** @throws ApiError invalid-argument */
function planOf(body: Fields): GivenProvider {
  const own: readonly string[] = OF_A_KIND[body.kind];
  for (const [field, value] of Object.entries(body)) {
    if (value !== undefined && OF_SOME_KINDS.has(field) && !own.includes(field)) {
      refuse(`${field} is not a field of ${body.kind}`);
    }
  }
  const { name, mapping, allowCreation, allowLinking, updateOnSignIn, homeRealm } = body;
  const common = { name, mapping, allowCreation, allowLinking, updateOnSignIn, homeRealm };
  const { kind, requiredClaims, clientAuthentication = 'client_secret_basic' } = body;
  if (kind === 'saml') {
    const plan = { ...common, kind, settings: samlSettings(body) };
    return { plan, secret: undefined, metadata: body.metadata };
  }
  if (kind === 'ldap') {
    return { plan: { ...common, kind, settings: ldapSettings(body) }, secret: body.bindPassword };
  }
  const scopes = body.scopes ?? USUAL_SCOPES[kind];
  const client = {
    clientId: required('clientId', body.clientId),
    scopes,
    requiredClaims,
    ...secretExpiry(body),
  };
  const signsOut = body.signOutAtProvider === true ? { signOutAtProvider: true as const } : {};
  const plan = ((): IdentityProviderPlan => {
    switch (kind) {
      case 'oidc': {
        const issuer = required('issuer', body.issuer);
        return {
          ...common,
          kind: 'oidc',
          settings: { ...client, issuer, clientAuthentication, ...signsOut },
        };
      }
      case 'oauth2': {
        const { emailsEndpoint } = body;
        const settings = {
          ...client,
          authorizationEndpoint: required('authorizationEndpoint', body.authorizationEndpoint),
          tokenEndpoint: required('tokenEndpoint', body.tokenEndpoint),
          userinfoEndpoint: required('userinfoEndpoint', body.userinfoEndpoint),
          subjectClaim: required('subjectClaim', body.subjectClaim),
          ...(emailsEndpoint !== undefined && { emailsEndpoint }),
          clientAuthentication,
        };
        return { ...common, kind: 'oauth2', settings };
      }
      case 'microsoft': {
        const tenant = required('tenant', body.tenant);
        return { ...common, kind: 'microsoft', settings: { ...client, tenant, ...signsOut } };
      }
      case 'apple': {
        const [teamId, keyId] = [required('teamId', body.teamId), required('keyId', body.keyId)];
        return { ...common, kind: 'apple', settings: { ...client, teamId, keyId } };
      }
      case 'gitlab':
        return { ...common, kind: 'gitlab', settings: { ...client, issuer: body.issuer ?? GITLAB_COM } };
      case 'google':
      case 'github':
      case 'linkedin':
        return { ...common, kind, settings: client };
    }
  })();
  if (!['oauth2', 'github'].includes(kind) && !scopes.includes('openid')) {
    refuse('scopes must have openid');
  }
  return { plan, secret: body.clientSecret };
}

function samlSettings(body: Fields): SamlSettings {
  const {
    entityId,
    ssoUrl,
    sloUrl,
    certificates = [],
    metadataUrl,
    nameIdFormat = 'persistent',
    subjectAttribute,
  } = body;
  if (nameIdFormat === 'transient' && subjectAttribute === undefined) {
    refuse('nameIdFormat transient needs a subjectAttribute: such names are of one sign-in');
  }
  return {
    entityId,
    ssoUrl,
    sloUrl,
    certificates,
    metadataUrl,
    nameIdFormat,
    subjectAttribute,
    signRequests: body.signRequests ?? true,
    ...(body.signOutAtProvider === true && { signOutAtProvider: true as const }),
    wantAssertionsSigned: body.wantAssertionsSigned ?? true,
    wantAssertionsEncrypted: body.wantAssertionsEncrypted ?? false,
    trustEmail: body.trustEmail ?? false,
    requiredClaims: body.requiredClaims,
  };
}

type DirectoryFields = {
  readonly [Name in keyof typeof directoryFields]?: z.output<(typeof directoryFields)[Name]>;
};

/** @throws ApiError invalid-argument */
export function directorySettings(body: DirectoryFields) {
  const { startTls = false, caCertificate, subjectAttribute = 'entryUUID', trustEmail = false } = body;
  return {
    urls: required('urls', body.urls),
    startTls,
    ...(caCertificate !== undefined && { caCertificate }),
    baseDn: required('baseDn', body.baseDn),
    bindDn: required('bindDn', body.bindDn),
    userFilter: required('userFilter', body.userFilter),
    subjectAttribute,
    trustEmail,
    ...secretExpiry(body),
  };
}

function ldapSettings(body: Fields): LdapSettings {
  const { timeoutMs = USUAL_TIMEOUT_MS, requiredClaims } = body;
  return { ...directorySettings(body), timeoutMs, requiredClaims };
}

function secretExpiry({ secretExpirationDate }: DirectoryFields): { readonly secretExpirationDate?: string } {
  return secretExpirationDate === undefined
    ? {}
    : { secretExpirationDate: secretExpirationDate.toISOString() };
}

function required<T>(field: string, value: T | undefined): T {
  if (value === undefined) refuse(`${field} is required`);
  return value;
}

function refuse(sentence: string): never {
  throw new ApiError('invalid-argument', sentence);
}

/** What a provider is to be, and its secret: without it only where it has none. */
export const newIdentityProviderBody = fields
  .meta({
    ...NEEDED,
    anyOf: [
      { required: ['clientSecret'] },
      { required: ['bindPassword'] },
      { properties: { clientAuthentication: { enum: ['none'] } }, required: ['clientAuthentication'] },
      { properties: { kind: { enum: ['saml'] } } },
    ],
    examples: EXAMPLES,
  })
  .transform(planOf);

/** The same of one that there is: a secret that is left out stays as it is. */
export const identityProviderBody = fields.meta({ ...NEEDED, examples: EXAMPLES }).transform(planOf);

/** With the address that its answers come back to. */
export type CalledBackProvider = IdentityProviderRecord & {
  readonly callbackUrl: string;
  readonly serviceProviderMetadataUrl?: string;
};

const STATES = { active: 'STATE_ACTIVE', inactive: 'STATE_INACTIVE' } as const;
const texts = z.array(z.string()).readonly();

const shownMappedFields = z.object({ fields: z.record(z.string(), z.string()) });
const shownClaimMapping = shownMappedFields.extend({
  roles: z
    .array(z.object({ claim: z.string(), value: z.string(), projectId: idSchema, roleKey: z.string() }))
    .readonly(),
  metadata: z.array(z.object({ claim: z.string(), key: z.string() })).readonly(),
});
/** Of a directory; `bindPassword` is shown to nobody. */
export const shownDirectory = {
  urls: texts.optional(),
  startTls: z.boolean().optional(),
  caCertificate: z.string().optional(),
  baseDn: z.string().optional(),
  bindDn: z.string().optional(),
  userFilter: z.string().optional(),
  subjectAttribute: z.string().optional(),
  trustEmail: z.boolean().optional(),
  secretExpirationDate: z.iso.datetime().optional(),
  /** When the first of its secret and certificates is no longer good. */
  expirationDate: z.iso.datetime().optional(),
  mapping: shownMappedFields.optional(),
};

/** Everything but the secret, which nobody is shown. */
export const identityProviderAnswer = answerFrom(
  z.object({
    id: idSchema,
    details: detailsOfRecord,
    state: z.enum(STATES),
    kind: z.enum(PROVIDER_KINDS),
    name: z.string(),
    /** The address to register at the provider. */
    callbackUrl: z.url(),
    /** Of a provider that speaks SAML: where it reads who we are, and our entity id. */
    serviceProviderMetadataUrl: z.url().optional(),
    hasSecret: z.boolean(),
    clientId: z.string().optional(),
    scopes: texts.optional(),
    requiredClaims: z.record(z.string(), z.string()),
    allowCreation: z.boolean(),
    allowLinking: z.boolean(),
    updateOnSignIn: z.boolean(),
    homeRealm: z.boolean(),
    ...shownDirectory,
    mapping: shownClaimMapping,
    timeoutMs: shownNumber.optional(),
    issuer: z.string().optional(),
    signOutAtProvider: z.boolean().optional(),
    clientAuthentication: z.enum(CLIENT_AUTHENTICATIONS).optional(),
    authorizationEndpoint: z.string().optional(),
    tokenEndpoint: z.string().optional(),
    userinfoEndpoint: z.string().optional(),
    emailsEndpoint: z.string().optional(),
    subjectClaim: z.string().optional(),
    tenant: z.string().optional(),
    teamId: z.string().optional(),
    keyId: z.string().optional(),
    metadataUrl: z.string().optional(),
    entityId: z.string().optional(),
    ssoUrl: z.string().optional(),
    sloUrl: z.string().optional(),
    certificates: texts.optional(),
    nameIdFormat: z.enum(NAME_IDS).optional(),
    subjectAttribute: z.string().optional(),
    signRequests: z.boolean().optional(),
    wantAssertionsSigned: z.boolean().optional(),
    wantAssertionsEncrypted: z.boolean().optional(),
    trustEmail: z.boolean().optional(),
  }),
  ({ provider, state, hasSecret, details, callbackUrl, serviceProviderMetadataUrl }: CalledBackProvider) => ({
    ...provider,
    ...provider.settings,
    callbackUrl,
    serviceProviderMetadataUrl,
    expirationDate: rulesOf(provider).expiresAt?.toISOString(),
    details,
    hasSecret,
    state: STATES[state],
    mapping: shownMapping(provider.mapping),
  }),
);

function shownMapping({ roles, metadata, ...fields }: ClaimMapping) {
  return { ...shownFieldMapping(fields), roles, metadata };
}

export function shownFieldMapping({ fields }: Pick<ClaimMapping, 'fields'>) {
  return { fields: fields as Readonly<Record<string, string>> };
}

export const createdIdentityProviderAnswer = z.object({
  id: idSchema,
  details: detailsOfCreation,
  callbackUrl: z.url().meta({ description: 'The address to register at the provider.' }),
  serviceProviderMetadataUrl: z.url().optional().meta({
    description: 'Of a provider that speaks SAML: where it reads who we are, and our entity id.',
  }),
});
