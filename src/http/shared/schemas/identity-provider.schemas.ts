import { z } from 'zod';
import {
  PROVIDER_KINDS,
  PROVIDER_SETTINGS,
  providerTermsSchema,
  type IdentityProviderPlan,
  type ProviderKind,
} from '../../../domain/identity-providers/identity-provider.js';
import type { IdentityProviderRecord } from '../../../domain/identity-providers/identity-providers.store.js';
import type { GivenProvider } from '../../../domain/identity-providers/prepare-provider.js';
import { rulesOf } from '../../../domain/identity-providers/rules-of-kind.js';
import { requiredClaims } from '../../../domain/identity-providers/settings-fields.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { Page } from '../../../domain/shared/page.js';
import { answerFrom, detailsOfCreation, detailsOfRecord } from '../answers.js';
import { checkBody } from '../body.pipe.js';
import { listed, listWire } from '../lists.js';
import { idSchema } from './answer-schemas.js';
import { claimMapping, shownClaimMapping, shownMapping } from './claim-mapping.schemas.js';
import { answerFields, bodyFields, partial, requiredFields } from './domain-fields.js';
import { wireEnum } from './wire-enum.js';

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

/** Settings of all kinds, side by side. Where several have a field of one name, the first of them describes it. */
const settingsFields: Readonly<Record<string, z.ZodType>> = Object.assign(
  {},
  ...PROVIDER_KINDS.toReversed().map((kind) => PROVIDER_SETTINGS[kind].shape),
);

/** The largest are of AD FS. */
const MOST_METADATA = 400_000;

/** A key of Apple has lines. A secret is taken as it is: a space at its end belongs to it. */
const secret = z
  .string()
  .min(1, 'must have 1 to 4000 characters')
  .max(4000, 'must have 1 to 4000 characters')
  .refine((value) => !value.includes('\u0000'), 'must not contain NUL')
  .optional();
export const bindPassword = secret.meta({ description: 'Of `bindDn`. Shown to nobody again.' });

/** Given with the settings of a provider, and not kept with them. */
const given = {
  clientSecret: secret.meta({
    description: 'Shown to nobody again. Of Apple: the key file, by which the secret is made.',
  }),
  bindPassword,
  metadata: z.string().min(1).max(MOST_METADATA).optional().meta({
    description: 'XML of the provider, in place of its single fields. What is given beside it stands.',
  }),
};

/** All that a provider of any kind may have. */
const providerFields = z.strictObject({
  kind: wireEnum(Object.fromEntries(PROVIDER_KINDS.map((kind) => [kind, kind]))),
  ...providerTermsSchema.shape,
  mapping: claimMapping.default({ fields: {}, roles: [], metadata: [] }),
  ...partial(bodyFields(settingsFields)),
  requiredClaims,
  ...given,
});

/** Which of these. */
function givenOf(kind: ProviderKind): keyof typeof given {
  if (kind === 'saml') return 'metadata';
  return kind === 'ldap' ? 'bindPassword' : 'clientSecret';
}

/**
 * What a provider is to be, from the fields of its kind.
 *
 * @throws ApiError invalid-argument
 */
function planOf(body: z.output<typeof providerFields>): GivenProvider {
  const { kind, mapping } = body;
  const schema = PROVIDER_SETTINGS[kind];
  const own = new Set([...Object.keys(schema.shape), givenOf(kind)]);
  for (const [field, value] of Object.entries(body)) {
    const isOfOthers = (field in settingsFields || field in given) && !own.has(field);
    if (isOfOthers && value !== undefined) {
      throw new ApiError('invalid-argument', `${field} is not a field of ${kind}`);
    }
  }
  const plan = { ...providerTermsSchema.parse(body), mapping, kind, settings: checkBody(schema, body) };
  // the schema was that of the kind
  return {
    plan: plan as IdentityProviderPlan,
    secret: body.clientSecret ?? body.bindPassword,
    metadata: body.metadata,
  };
}

/** What each kind cannot do without, for whoever reads the document; its schema asks for it. */
function needed(): object {
  const kindsOf = new Map<string, ProviderKind[]>();
  for (const kind of PROVIDER_KINDS) {
    const fields = requiredFields(PROVIDER_SETTINGS[kind].shape).join(' ');
    kindsOf.set(fields, [...(kindsOf.get(fields) ?? []), kind]);
  }
  kindsOf.delete('');
  return [...kindsOf].reduceRight<object>(
    (otherwise, [fields, kinds]) => ({
      if: { properties: { kind: { enum: kinds } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, which nobody awaits
      then: { required: fields.split(' ') },
      else: otherwise,
    }),
    {},
  );
}

/** What a provider is to be, and its secret: without it only where it has none. */
export const newIdentityProviderBody = providerFields
  .meta({
    ...needed(),
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
export const identityProviderBody = providerFields
  .meta({ ...needed(), examples: EXAMPLES })
  .transform(planOf);

/** With the address that its answers come back to. */
type CalledBackProvider = IdentityProviderRecord & {
  readonly callbackUrl: string;
  readonly serviceProviderMetadataUrl?: string;
};

const STATES = { active: 'STATE_ACTIVE', inactive: 'STATE_INACTIVE' } as const;

/** Everything but the secret, which nobody is shown. */
export const identityProviderAnswer = answerFrom(
  z.object({
    id: idSchema,
    details: detailsOfRecord,
    state: z.enum(STATES),
    kind: z.enum(PROVIDER_KINDS),
    /** The address to register at the provider. */
    callbackUrl: z.url(),
    /** Of a provider that speaks SAML: where it reads who we are, and our entity id. */
    serviceProviderMetadataUrl: z.url().optional(),
    hasSecret: z.boolean(),
    ...answerFields(providerTermsSchema.shape),
    ...partial(answerFields(settingsFields)),
    requiredClaims: z.record(z.string(), z.string()),
    mapping: shownClaimMapping,
    /** When the first of its secret and certificates is no longer good. */
    expirationDate: z.iso.datetime().optional(),
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

/** As every list (protocol §4), with what whoever looks after them has to know of their own way in. */
export const identityProvidersAnswer = answerFrom(
  listWire(identityProviderAnswer).extend({
    ownersRelyOnProviders: z.boolean().meta({
      description:
        'A provider is active and no owner has a password or a passkey: while it is away, none of them can sign in until ' +
        'it is back, save by "Forgotten password?" and a mail.',
    }),
  }),
  ({
    page,
    ownersRelyOnProviders,
  }: {
    readonly page: Page<CalledBackProvider>;
    readonly ownersRelyOnProviders: boolean;
  }) => ({ ...listed(page), ownersRelyOnProviders }),
);

export const createdIdentityProviderAnswer = z.object({
  id: idSchema,
  details: detailsOfCreation,
  callbackUrl: z.url().meta({ description: 'The address to register at the provider.' }),
  serviceProviderMetadataUrl: z.url().optional().meta({
    description: 'Of a provider that speaks SAML: where it reads who we are, and our entity id.',
  }),
});
