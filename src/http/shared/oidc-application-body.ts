import { z } from 'zod';
import type { OidcApplicationSettings } from '../../domain/clients/create-oidc-application.js';
import type { OidcConfig } from '../../domain/clients/applications.store.js';
import type { ManagementAccess } from '../../domain/permissions/management-access.js';
import type { OrgId, ProjectId } from '../../domain/shared/ids.js';
import type { SigningAlgorithm } from '../../domain/keys/signing-key.js';
import { bodyReader, choice, flag, name, texts, unsupported } from './api-fields.js';

/** Past this a client's list of URIs is a mistake or an attack; the table holds the same bound. */
const MOST_URIS = 100;

export const RESPONSE_TYPES = {
  OIDC_RESPONSE_TYPE_CODE: 'code',
  OIDC_RESPONSE_TYPE_ID_TOKEN: 'id_token',
  OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN: 'id_token token',
} as const;
const responseType = choice(RESPONSE_TYPES);

export const GRANT_TYPES = {
  OIDC_GRANT_TYPE_AUTHORIZATION_CODE: 'authorization_code',
  OIDC_GRANT_TYPE_IMPLICIT: 'implicit',
  OIDC_GRANT_TYPE_REFRESH_TOKEN: 'refresh_token',
  OIDC_GRANT_TYPE_DEVICE_CODE: undefined,
  OIDC_GRANT_TYPE_TOKEN_EXCHANGE: 'urn:ietf:params:oauth:grant-type:token-exchange',
} as const;
const grantType = choice(GRANT_TYPES);

export const APP_TYPES = {
  OIDC_APP_TYPE_WEB: 'web',
  OIDC_APP_TYPE_USER_AGENT: 'user_agent',
  OIDC_APP_TYPE_NATIVE: 'native',
} as const;
const appType = choice(APP_TYPES);

export const AUTH_METHODS = {
  OIDC_AUTH_METHOD_TYPE_BASIC: 'client_secret_basic',
  OIDC_AUTH_METHOD_TYPE_POST: 'client_secret_post',
  OIDC_AUTH_METHOD_TYPE_NONE: 'none',
  OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT: 'private_key_jwt',
} as const;
const authMethod = choice(AUTH_METHODS);

export const TOKEN_TYPES = { OIDC_TOKEN_TYPE_BEARER: 'opaque', OIDC_TOKEN_TYPE_JWT: 'jwt' } as const;
const tokenType = choice(TOKEN_TYPES);

/** In our own words: the contract knows no such thing. */
export const ACCESS = {
  none: 'none',
  organization: 'organization',
  instance: 'instance',
} as const satisfies Readonly<Record<ManagementAccess, ManagementAccess>>;

const clockSkew = z
  .string({ error: 'must be a duration such as "2s"' })
  .regex(/^[0-5](?:\.0{1,9})?s$/, 'must be "0s" to "5s", in whole seconds')
  .transform((duration) => Number.parseInt(duration, 10));

/** An empty list counts as none given, as protojson has it. */
function listOf<Item extends z.ZodType<string>>(item: Item, whenEmpty: z.output<Item>) {
  return z
    .array(item, { error: 'must be a list' })
    .max(10, 'must have at most 10 entries')
    .default([])
    .transform((items): readonly string[] => (items.length === 0 ? [whenEmpty] : [...new Set(items)]));
}

const configFields = {
  redirectUris: texts(MOST_URIS),
  responseTypes: listOf(responseType, 'code'),
  grantTypes: listOf(grantType, 'authorization_code'),
  appType: appType.default('web'),
  authMethodType: authMethod.default('client_secret_basic'),
  postLogoutRedirectUris: texts(MOST_URIS),
  version: choice({ OIDC_VERSION_1_0: '1.0' }).default('1.0'),
  devMode: flag(),
  accessTokenType: tokenType.default('opaque'),
  accessTokenRoleAssertion: flag(),
  idTokenRoleAssertion: flag(),
  idTokenUserinfoAssertion: flag(),
  idTokenSignedResponseAlg: choice<SigningAlgorithm>({ RS256: 'RS256' }).optional(),
  clockSkew: clockSkew.default(0),
  additionalOrigins: texts(MOST_URIS),
  skipNativeAppSuccessPage: flag(),
  assertionAudienceIssuerOnly: flag(),
  backChannelLogoutUri: z.string({ error: 'must be a string' }).default(''),
  managementAccess: choice<ManagementAccess>(ACCESS).optional(),
  loginVersion: unsupported(),
};

/** Body of `POST …/apps/oidc` (contract §8.6). What is not given is what a web application with a secret needs. */
export const readNewOidcApplication = bodyReader({ name: name(), ...configFields });

/** Body of `PUT …/oidc_config`, which replaces the whole. */
export const readOidcConfigFields = bodyReader(configFields);

/** @throws ApiError invalid-argument */
export function readOidcApplication(
  orgId: OrgId,
  projectId: ProjectId,
  body: unknown,
): OidcApplicationSettings {
  const { name, ...fields } = readNewOidcApplication(body);
  return { orgId, projectId, name, ...configOf(fields) };
}

/** @throws ApiError invalid-argument */
export function readOidcConfig(body: unknown): OidcConfig {
  return configOf(readOidcConfigFields(body));
}

function configOf(fields: ReturnType<typeof readOidcConfigFields>): OidcConfig {
  return {
    appType: fields.appType,
    authMethod: fields.authMethodType,
    responseTypes: fields.responseTypes,
    grantTypes: fields.grantTypes,
    redirectUris: fields.redirectUris,
    postLogoutRedirectUris: fields.postLogoutRedirectUris,
    additionalOrigins: fields.additionalOrigins,
    accessTokenType: fields.accessTokenType,
    accessTokenRoleAssertion: fields.accessTokenRoleAssertion,
    idTokenRoleAssertion: fields.idTokenRoleAssertion,
    idTokenUserinfoAssertion: fields.idTokenUserinfoAssertion,
    ...(fields.idTokenSignedResponseAlg && { idTokenAlgorithm: fields.idTokenSignedResponseAlg }),
    devMode: fields.devMode,
    clockSkewSeconds: fields.clockSkew,
    skipNativeAppSuccessPage: fields.skipNativeAppSuccessPage,
    assertionIssuerOnly: fields.assertionAudienceIssuerOnly,
    backChannelLogoutUri: fields.backChannelLogoutUri === '' ? null : fields.backChannelLogoutUri,
    ...(fields.managementAccess && { managementAccess: fields.managementAccess }),
  };
}
