import { z } from 'zod';
import type {
  ApplicationRecord,
  CreatedApplication,
} from '../../../domain/applications/applications.store.js';
import type { ChangedApplication } from '../../../domain/applications/change-application.js';
import { complianceProblems, type ComplianceProblem } from '../../../domain/applications/oidc-compliance.js';
import {
  oidcConfigSchema,
  type ApiConfig,
  type OidcConfig,
} from '../../../domain/applications/oidc-config.js';
import { overruled } from '../../../domain/applications/security-profile.js';
import { MANAGEMENT_ACCESS } from '../../../domain/permissions/management-access.js';
import { name } from '../../../domain/shared/text-schemas.js';
import {
  answerFrom,
  detailsOfChange,
  detailsOfCreation,
  detailsOfRecord,
  shown,
  shownFlag,
} from '../answers.js';
import { listSearchBody } from '../lists.js';
import { idSchema } from './answer-schemas.js';
import { unsupported } from './api-fields.js';
import { stateAnswer, stateFilter } from './state-fields.js';
import { wireEnum } from './wire-enum.js';

/** An empty list counts as none given, as protojson has it. */
function listOf<Item extends z.ZodType>(item: Item, whenEmpty: z.output<Item>) {
  return z
    .array(item)
    .max(10)
    .transform((items) => (items.length === 0 ? [whenEmpty] : [...new Set(items)]));
}

const responseType = wireEnum({
  OIDC_RESPONSE_TYPE_CODE: 'code',
  OIDC_RESPONSE_TYPE_ID_TOKEN: 'id_token',
  OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN: 'id_token token',
  OIDC_RESPONSE_TYPE_CODE_ID_TOKEN: 'code id_token',
  OIDC_RESPONSE_TYPE_CODE_TOKEN: 'code token',
  OIDC_RESPONSE_TYPE_CODE_ID_TOKEN_TOKEN: 'code id_token token',
});
const grantType = wireEnum({
  OIDC_GRANT_TYPE_AUTHORIZATION_CODE: 'authorization_code',
  OIDC_GRANT_TYPE_IMPLICIT: 'implicit',
  OIDC_GRANT_TYPE_REFRESH_TOKEN: 'refresh_token',
  OIDC_GRANT_TYPE_DEVICE_CODE: 'urn:ietf:params:oauth:grant-type:device_code',
  OIDC_GRANT_TYPE_TOKEN_EXCHANGE: 'urn:ietf:params:oauth:grant-type:token-exchange',
});
const appType = wireEnum({
  OIDC_APP_TYPE_WEB: 'web',
  OIDC_APP_TYPE_USER_AGENT: 'user_agent',
  OIDC_APP_TYPE_NATIVE: 'native',
});
const authMethod = wireEnum({
  OIDC_AUTH_METHOD_TYPE_BASIC: 'client_secret_basic',
  OIDC_AUTH_METHOD_TYPE_POST: 'client_secret_post',
  OIDC_AUTH_METHOD_TYPE_NONE: 'none',
  OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT: 'private_key_jwt',
  OIDC_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH: 'tls_client_auth',
  OIDC_AUTH_METHOD_TYPE_SELF_SIGNED_TLS_CLIENT_AUTH: 'self_signed_tls_client_auth',
});
const tokenType = wireEnum({ OIDC_TOKEN_TYPE_BEARER: 'opaque', OIDC_TOKEN_TYPE_JWT: 'jwt' });
const profile = wireEnum({
  OIDC_SECURITY_PROFILE_NONE: 'none',
  OIDC_SECURITY_PROFILE_FAPI2: 'fapi2',
  OIDC_SECURITY_PROFILE_FAPI2_MESSAGE_SIGNING: 'fapi2_message_signing',
});
const subjectType = wireEnum({ OIDC_SUBJECT_TYPE_PUBLIC: 'public', OIDC_SUBJECT_TYPE_PAIRWISE: 'pairwise' });
const apiMethod = wireEnum({
  API_AUTH_METHOD_TYPE_BASIC: 'client_secret_basic',
  API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT: 'private_key_jwt',
  API_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH: 'tls_client_auth',
  API_AUTH_METHOD_TYPE_SELF_SIGNED_TLS_CLIENT_AUTH: 'self_signed_tls_client_auth',
});
const access = wireEnum(
  Object.fromEntries(MANAGEMENT_ACCESS.map((one) => [one, one])) as Record<
    string,
    (typeof MANAGEMENT_ACCESS)[number]
  >,
);

/** `2s` */
const clockSkew = z.codec(
  z
    .string({ error: 'must be a duration such as "2s"' })
    .regex(/^[0-5](?:\.0{1,9})?s$/, 'must be "0s" to "5s", in whole seconds'),
  z.number(),
  { decode: (duration) => Number.parseInt(duration, 10), encode: (seconds) => `${seconds}s` },
);

/** Empty text is none. */
const optionalText = z.codec(z.string(), z.string().nullable(), {
  decode: (text) => (text === '' ? null : text),
  encode: (text) => text ?? '',
});

/** The API calls these differently; `oidcConfigOf` reads them, `oidcConfigAnswer` shows them. */
const calledDifferently = {
  authMethod: true,
  idTokenAlgorithm: true,
  userinfoAlgorithm: true,
  authorizationAlgorithm: true,
  clockSkewSeconds: true,
  assertionIssuerOnly: true,
} as const;

const tlsSubject = {
  tlsClientAuthSubjectDn: optionalText.default(null),
  tlsClientAuthSanDns: optionalText.default(null),
  tlsClientAuthSanUri: optionalText.default(null),
  tlsClientAuthSanIp: optionalText.default(null),
  tlsClientAuthSanEmail: optionalText.default(null),
};

/** What an OpenID Connect client says of itself, as the API has it (protocol §8.6). */
const oidcConfig = {
  ...oidcConfigSchema.omit(calledDifferently).shape,
  // values that the API writes differently
  appType: appType.default('web'),
  responseTypes: listOf(responseType, 'code').default(['code']),
  grantTypes: listOf(grantType, 'authorization_code').default(['authorization_code']),
  accessTokenType: tokenType.default('opaque'),
  backChannelLogoutUri: optionalText.default(null),
  frontChannelLogoutUri: optionalText.default(null),
  initiateLoginUri: optionalText.default(null),
  jwksUri: optionalText.default(null),
  ...tlsSubject,
  securityProfile: profile.default('none'),
  subjectType: subjectType.default('public'),
  sectorIdentifierUri: optionalText.default(null),
  managementAccess: access.optional(),
  // what it calls differently
  authMethodType: authMethod.default('client_secret_basic'),
  idTokenSignedResponseAlg: wireEnum({ RS256: 'RS256' }).optional(),
  // which of them the instance signs with, the domain asks (requireServedAlgorithm)
  userinfoSignedResponseAlg: wireEnum({
    RS256: 'RS256',
    PS256: 'PS256',
    ES256: 'ES256',
    EdDSA: 'EdDSA',
  }).optional(),
  authorizationSignedResponseAlg: wireEnum({ RS256: 'RS256' }).optional(),
  clockSkew: clockSkew.default(0),
  assertionAudienceIssuerOnly: z.boolean().default(false),
};
const apiConfig = {
  authMethodType: apiMethod.default('client_secret_basic'),
  jwksUri: optionalText.default(null),
  ...tlsSubject,
  assertionAudienceIssuerOnly: z.boolean().default(false),
};

const oidcConfigFields = {
  ...oidcConfig,
  version: wireEnum({ OIDC_VERSION_1_0: '1.0' }).default('1.0'),
  loginVersion: unsupported(),
};

const WEB_APPLICATION = {
  appType: 'OIDC_APP_TYPE_WEB',
  authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
  responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
  grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
  redirectUris: ['https://shop.example.com/callback'],
  postLogoutRedirectUris: ['https://shop.example.com/'],
};

/** Body of `PUT …/oidc_config`, which replaces the whole. What is not given is what a web application with a secret needs. */
export const oidcConfigBody = z
  .strictObject(oidcConfigFields)
  .meta({ examples: [WEB_APPLICATION] })
  .transform(oidcConfigOf);

/** Body of `POST …/apps/oidc`. */
export const newOidcApplicationBody = z
  .strictObject({ name: name(), ...oidcConfigFields })
  .meta({ examples: [{ name: 'Shop', ...WEB_APPLICATION }] })
  .transform((body) => ({ name: body.name, ...oidcConfigOf(body) }));

/** Body of `PUT …/api_config`. */
export const apiConfigBody = z
  .strictObject(apiConfig)
  .meta({ examples: [{ authMethodType: 'API_AUTH_METHOD_TYPE_BASIC' }] })
  .transform(apiConfigOf);

/** Body of `POST …/apps/api`. */
export const newApiApplicationBody = z
  .strictObject({ name: name(), ...apiConfig })
  .meta({ examples: [{ name: 'Orders', authMethodType: 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT' }] })
  .transform((body) => ({ name: body.name, ...apiConfigOf(body) }));

/** Body of `PUT …/apps/{appId}`. */
export const applicationNameBody = z.strictObject({ name: name() }).meta({ examples: [{ name: 'Shop' }] });

function oidcConfigOf({
  authMethodType,
  idTokenSignedResponseAlg,
  userinfoSignedResponseAlg,
  authorizationSignedResponseAlg,
  clockSkew: clockSkewSeconds,
  assertionAudienceIssuerOnly,
  version: _version,
  loginVersion: _loginVersion,
  ...same
}: z.output<z.ZodObject<typeof oidcConfigFields>>): OidcConfig {
  return {
    ...same,
    authMethod: authMethodType,
    idTokenAlgorithm: idTokenSignedResponseAlg ?? null,
    userinfoAlgorithm: userinfoSignedResponseAlg ?? null,
    authorizationAlgorithm: authorizationSignedResponseAlg ?? null,
    clockSkewSeconds,
    assertionIssuerOnly: assertionAudienceIssuerOnly,
  };
}

function apiConfigOf({
  authMethodType,
  assertionAudienceIssuerOnly,
  ...same
}: z.output<z.ZodObject<typeof apiConfig>>): ApiConfig {
  return { ...same, authMethod: authMethodType, assertionIssuerOnly: assertionAudienceIssuerOnly };
}

/** Settings that are allowed and unwise: in the answers to creating, changing and reading an application. */
const compliance = {
  noneCompliant: z.boolean().optional(),
  complianceProblems: z
    .array(z.object({ key: z.string(), localizedMessage: z.string() }))
    .readonly()
    .optional(),
};

function complianceOf(problems: readonly ComplianceProblem[]) {
  return problems.length === 0 ? {} : { noneCompliant: true, complianceProblems: problems };
}

/**
 * The API's name of a stored response type or grant type. Its type is text, since the table may hold one that no body takes:
 * it is shown as it is stored.
 */
function memberName(member: z.ZodCodec): z.ZodType<string, string> {
  return z.invertCodec(member) as unknown as z.ZodType<string, string>;
}

/** By the API's names; undefined for none. */
function overruledNames(config: OidcConfig): readonly string[] | undefined {
  const names = Object.keys(overruled(config)).map((field) => OTHER_NAMES[field] ?? field);
  return names.length === 0 ? undefined : names;
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  idTokenAlgorithm: 'idTokenSignedResponseAlg',
  authorizationAlgorithm: 'authorizationSignedResponseAlg',
  userinfoAlgorithm: 'userinfoSignedResponseAlg',
  assertionIssuerOnly: 'assertionAudienceIssuerOnly',
};

/** As they are shown: null for what is not registered. */
const certificateNames = {
  tlsClientAuthSubjectDn: z.string().nullable(),
  tlsClientAuthSanDns: z.string().nullable(),
  tlsClientAuthSanUri: z.string().nullable(),
  tlsClientAuthSanIp: z.string().nullable(),
  tlsClientAuthSanEmail: z.string().nullable(),
};

type OidcRecord = Extract<ApplicationRecord, { type: 'oidc' }>;
type ApiRecord = Extract<ApplicationRecord, { type: 'api' }>;

const oidcConfigAnswer = answerFrom(
  z.object({
    clientId: idSchema,
    ...shown({
      ...oidcConfig,
      backChannelLogoutUri: z.string().nullable(),
      jwksUri: z.string().nullable(),
      frontChannelLogoutUri: z.string().nullable(),
      initiateLoginUri: z.string().nullable(),
      sectorIdentifierUri: z.string().nullable(),
      ...certificateNames,
      allowedOrigins: z.array(z.string()).readonly(),
    }),
    registration: z.enum(['initial_access_token', 'anyone', 'document']).optional().meta({
      description: 'What let it register itself; not there for one that somebody made.',
    }),
    registrationExpirationDate: z.iso.datetime().optional().meta({
      description:
        'When one that registered itself goes, unless somebody signs in with it before; not there for one that stays.',
    }),
    allowedScopes: z.array(z.string()).readonly().optional().meta({
      description: 'The most that it is ever given; not there where its settings alone decide.',
    }),
    overruledSettings: z.array(z.string()).readonly().optional().meta({
      description:
        'Settings in whose place its security profile has others; not there where none is overruled.',
    }),
    responseTypes: z.array(memberName(responseType)).readonly(),
    grantTypes: z.array(memberName(grantType)).readonly(),
    version: z.literal('OIDC_VERSION_1_0'),
    ...compliance,
  }),
  ({
    clientId,
    config,
    origins,
    missedSettings,
    registration,
    registrationExpiresAt,
    allowedScopes,
  }: OidcRecord) => ({
    ...config,
    clientId,
    authMethodType: config.authMethod,
    version: 'OIDC_VERSION_1_0' as const,
    idTokenSignedResponseAlg: config.idTokenAlgorithm ?? undefined,
    userinfoSignedResponseAlg: config.userinfoAlgorithm ?? undefined,
    authorizationSignedResponseAlg: config.authorizationAlgorithm ?? undefined,
    clockSkew: config.clockSkewSeconds,
    assertionAudienceIssuerOnly: config.assertionIssuerOnly,
    managementAccess: config.managementAccess === 'none' ? undefined : config.managementAccess,
    allowedOrigins: origins,
    registration: registration ?? undefined,
    registrationExpirationDate: registrationExpiresAt?.toISOString(),
    allowedScopes: allowedScopes ?? undefined,
    overruledSettings: overruledNames(config),
    ...complianceOf(complianceProblems(config, missedSettings)),
  }),
);

const apiConfigAnswer = answerFrom(
  z.object({
    clientId: idSchema,
    ...shown({ ...apiConfig, jwksUri: z.string().nullable(), ...certificateNames }),
  }),
  ({ clientId, config }: ApiRecord) => ({
    ...config,
    clientId,
    authMethodType: config.authMethod,
    assertionAudienceIssuerOnly: config.assertionIssuerOnly,
  }),
);

/** An application as it is read. */
export const applicationAnswer = answerFrom(
  z.object({
    id: idSchema,
    details: detailsOfRecord,
    state: stateAnswer('APP'),
    name: z.string(),
    isOwn: shownFlag('The console signs people in by it: it cannot be deactivated or removed.'),
    oidcConfig: oidcConfigAnswer.optional(),
    apiConfig: apiConfigAnswer.optional(),
  }),
  (record: ApplicationRecord) => ({
    ...record,
    isOwn: record.isOwn === true,
    ...(record.type === 'oidc' ? { oidcConfig: record } : { apiConfig: record }),
  }),
);

const secret = z.string().optional().meta({ description: 'Shown this once.' });

type WithProblems<Change> = Change & { readonly problems?: readonly ComplianceProblem[] };

/** Answer of what makes an application. */
export const createdApplicationAnswer = answerFrom(
  z.object({
    appId: idSchema,
    details: detailsOfCreation,
    clientId: idSchema,
    clientSecret: secret,
    ...compliance,
  }),
  ({ id, problems = [], ...created }: WithProblems<CreatedApplication>) => ({
    appId: id,
    ...created,
    ...complianceOf(problems),
  }),
);

/** Answer of a change to an application's configuration; a secret that it made is shown this once. */
export const changedApplicationAnswer = answerFrom(
  z.object({ details: detailsOfChange, clientSecret: secret, ...compliance }),
  ({ problems = [], ...changed }: WithProblems<ChangedApplication>) => ({
    ...changed,
    ...complianceOf(problems),
  }),
);

/** Body of `apps/_search`. */
export const applicationSearchBody = listSearchBody({
  sortedBy: {
    APP_FIELD_NAME_UNSPECIFIED: 'createdAt',
    APP_FIELD_NAME_NAME: 'name',
    APP_FIELD_NAME_CREATION_DATE: 'createdAt',
  },
  filters: {
    ...stateFilter('APP'),
    typeQuery: {
      type: wireEnum({
        APP_TYPE_UNSPECIFIED: undefined,
        APP_TYPE_WEB: 'web',
        APP_TYPE_USER_AGENT: 'user_agent',
        APP_TYPE_NATIVE: 'native',
        APP_TYPE_API: 'api',
      }),
    },
  },
});
