import { z } from 'zod';
import { PROVIDER_KINDS, type ProviderKind } from '../../../domain/identity-providers/identity-provider.js';
import type { IdentityProviderRecord } from '../../../domain/identity-providers/identity-providers.store.js';
import { CLIENT_AUTHENTICATIONS } from '../../../domain/identity-providers/oauth/oauth-kinds.js';
import { rulesOf } from '../../../domain/identity-providers/rules-of-kind.js';
import type { Page } from '../../../domain/shared/page.js';
import { answerFrom, detailsOfCreation, detailsOfRecord } from '../answers.js';
import { listed, listWire } from '../lists.js';
import { idSchema } from './answer-schemas.js';
import { shownClaimMapping, shownMapping } from './claim-mapping.schemas.js';
import { shownDirectory } from './directory.schemas.js';
import { NAME_IDS, providerFields } from './identity-provider-fields.js';
import { planOf } from './identity-provider-plan.js';
import { shownNumber } from './policy.schemas.js';

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

/** What a provider is to be, and its secret: without it only where it has none. */
export const newIdentityProviderBody = providerFields
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
export const identityProviderBody = providerFields.meta({ ...NEEDED, examples: EXAMPLES }).transform(planOf);

/** With the address that its answers come back to. */
export type CalledBackProvider = IdentityProviderRecord & {
  readonly callbackUrl: string;
  readonly serviceProviderMetadataUrl?: string;
};

const STATES = { active: 'STATE_ACTIVE', inactive: 'STATE_INACTIVE' } as const;
const texts = z.array(z.string()).readonly();

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
