import type { ApplicationRecord } from '../../domain/clients/application-records.store.js';
import type { OidcConfig } from '../../domain/clients/applications.store.js';
import { type ComplianceProblem, complianceProblems } from '../../domain/clients/oidc-compliance.js';
import { type DetailsResponse, readDetails } from './details-response.js';
import {
  APP_TYPES,
  AUTH_METHODS,
  GRANT_TYPES,
  RESPONSE_TYPES,
  TOKEN_TYPES,
} from './oidc-application-body.js';

export const API_METHODS = {
  API_AUTH_METHOD_TYPE_BASIC: 'client_secret_basic',
  API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT: 'private_key_jwt',
} as const;

/** Allowed and unwise, as it is told when an application is made, changed and read. */
export interface ComplianceResponse {
  readonly noneCompliant?: true;
  readonly complianceProblems?: readonly ComplianceProblem[];
}

export function complianceResponse(problems: readonly ComplianceProblem[]): ComplianceResponse {
  return problems.length === 0 ? {} : { noneCompliant: true, complianceProblems: problems };
}

type OidcRecord = Extract<ApplicationRecord['is'], { kind: 'oidc' }>;

/** An OpenID Connect client's configuration as the API shows it; zero values are left out (contract §0.1). */
export interface OidcConfigResponse extends ComplianceResponse {
  readonly clientId: string;
  readonly redirectUris?: readonly string[];
  readonly responseTypes: readonly string[];
  readonly grantTypes: readonly string[];
  readonly appType: string;
  readonly authMethodType: string;
  readonly postLogoutRedirectUris?: readonly string[];
  readonly version: string;
  readonly devMode?: true;
  readonly accessTokenType: string;
  readonly accessTokenRoleAssertion?: true;
  readonly idTokenRoleAssertion?: true;
  readonly idTokenUserinfoAssertion?: true;
  readonly idTokenSignedResponseAlg?: string;
  readonly clockSkew: string;
  readonly additionalOrigins?: readonly string[];
  /** Every origin that scripts may call from: the additional ones and those of the redirect URIs. */
  readonly allowedOrigins?: readonly string[];
  readonly skipNativeAppSuccessPage?: true;
  readonly assertionAudienceIssuerOnly?: true;
  readonly backChannelLogoutUri?: string;
  /** Left out for `none`. */
  readonly managementAccess?: 'organization' | 'instance';
}

export interface ApiConfigResponse {
  readonly clientId: string;
  readonly authMethodType: string;
  readonly assertionAudienceIssuerOnly?: true;
}

export interface ApplicationResponse {
  readonly id: string;
  readonly details: DetailsResponse;
  readonly state: string;
  readonly name: string;
  readonly oidcConfig?: OidcConfigResponse;
  readonly apiConfig?: ApiConfigResponse;
}

export function applicationResponse({
  id,
  clientId,
  details,
  state,
  name,
  is,
}: ApplicationRecord): ApplicationResponse {
  return {
    id,
    details: readDetails(details),
    state: state === 'active' ? 'APP_STATE_ACTIVE' : 'APP_STATE_INACTIVE',
    name,
    ...(is.kind === 'api'
      ? {
          apiConfig: {
            clientId,
            authMethodType: nameOf(API_METHODS, is.authMethod),
            ...(is.assertionIssuerOnly && { assertionAudienceIssuerOnly: true }),
          },
        }
      : { oidcConfig: { clientId, ...oidcConfig(is) } }),
  };
}

function oidcConfig({ config, origins, missed }: OidcRecord): Omit<OidcConfigResponse, 'clientId'> {
  return {
    ...list('redirectUris', config.redirectUris),
    responseTypes: config.responseTypes.map((type) => nameOf(RESPONSE_TYPES, type)),
    grantTypes: config.grantTypes.map((type) => nameOf(GRANT_TYPES, type)),
    appType: nameOf(APP_TYPES, config.appType),
    authMethodType: nameOf(AUTH_METHODS, config.authMethod),
    ...list('postLogoutRedirectUris', config.postLogoutRedirectUris),
    version: 'OIDC_VERSION_1_0',
    ...(config.devMode && { devMode: true }),
    accessTokenType: nameOf(TOKEN_TYPES, config.accessTokenType),
    ...(config.accessTokenRoleAssertion && { accessTokenRoleAssertion: true }),
    ...(config.idTokenRoleAssertion && { idTokenRoleAssertion: true }),
    ...(config.idTokenUserinfoAssertion && { idTokenUserinfoAssertion: true }),
    ...(config.idTokenAlgorithm && { idTokenSignedResponseAlg: config.idTokenAlgorithm }),
    clockSkew: `${config.clockSkewSeconds}s`,
    ...list('additionalOrigins', config.additionalOrigins),
    ...list('allowedOrigins', origins),
    ...(config.skipNativeAppSuccessPage && { skipNativeAppSuccessPage: true }),
    ...(config.assertionIssuerOnly && { assertionAudienceIssuerOnly: true }),
    ...(config.backChannelLogoutUri !== null && { backChannelLogoutUri: config.backChannelLogoutUri }),
    ...accessOf(config),
    ...complianceResponse(complianceProblems(config, missed)),
  };
}

function accessOf({ managementAccess = 'none' }: OidcConfig): Pick<OidcConfigResponse, 'managementAccess'> {
  return managementAccess === 'none' ? {} : { managementAccess };
}

function list<Name extends string>(name: Name, values: readonly string[]) {
  return (values.length === 0 ? {} : { [name]: values }) as { readonly [N in Name]?: readonly string[] };
}

/** The enum's name for a stored value; a value that no enum has is shown as it is. */
function nameOf(names: Readonly<Record<string, string | undefined>>, value: string): string {
  return Object.keys(names).find((name) => names[name] === value) ?? value;
}
