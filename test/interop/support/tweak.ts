import type { ApplicationJson } from './stage.js';

type Given = Readonly<Record<string, unknown>>;

/** What every application must say, and plain http on localhost. */
const ANY = new Set(['name', 'redirectUris', 'postLogoutRedirectUris', 'appType', 'devMode']);
const NO_SECRET = new Set<unknown>(['OIDC_APP_TYPE_NATIVE', 'OIDC_APP_TYPE_USER_AGENT']);
const GRANTS = new Set<unknown>(['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN']);

/**
 * The fields that a client needs beyond a default application: a name, addresses and a type, no secret where the type cannot
 * keep one, and the refresh token grant.
 */
export function tweakedFields(application: ApplicationJson | Given): readonly string[] {
  const given: Given = application;
  return Object.keys(given)
    .filter((field) => !ANY.has(field) && !isDefault(given, field))
    .toSorted();
}

function isDefault(given: Given, field: string): boolean {
  const value = given[field];
  if (field === 'authMethodType')
    return NO_SECRET.has(given['appType']) && value === 'OIDC_AUTH_METHOD_TYPE_NONE';
  return field === 'grantTypes' && Array.isArray(value) && value.every((grant) => GRANTS.has(grant));
}
