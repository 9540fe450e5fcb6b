import { isReservedScope } from './reserved-scopes.js';

/** Scopes with a meaning of their own (OpenID Connect Core §5.4, §11). */
export const STANDARD_SCOPES = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'] as const;

const AUDIENCE_SCOPE = /^urn:(?:zitadel|service):iam:org:project:id:([!-~]{1,200}):aud$/;
const ORGANIZATION_SCOPE = /^urn:(?:zitadel|service):iam:org:id:([!-~]{1,200})$/;
/** Stands for the service's own project in an audience scope (protocol §6.2). */
const OWN_PROJECT_NAMES = new Set(['zitadel', 'service']);

// scope-token of RFC 6749 §3.3: printable ASCII without space, quote and backslash
const SCOPE_TOKEN = /^[!#-[\]-~]+$/;
const MAX_SCOPE_LENGTH = 4096;

/** Splits a scope parameter; undefined when it is malformed (bad characters, too long). */
export function parseScopes(text: string): readonly string[] | undefined {
  if (text.length > MAX_SCOPE_LENGTH) return undefined;
  const scopes = [...new Set(text.split(' ').filter((scope) => scope !== ''))];
  return scopes.every((scope) => SCOPE_TOKEN.test(scope)) ? scopes : undefined;
}

/** The project an audience scope names; the own project is given by `ownProjectId`. */
export function audienceProject(scope: string, ownProjectId: string): string | undefined {
  const named = AUDIENCE_SCOPE.exec(scope)?.[1];
  if (named === undefined) return undefined;
  return OWN_PROJECT_NAMES.has(named) ? ownProjectId : named;
}

/** The organization that a scope asks the user to belong to. */
export function organizationOfScope(scope: string): string | undefined {
  return ORGANIZATION_SCOPE.exec(scope)?.[1];
}

/** Drops what this service does not know: unknown scopes are ignored at the authorization endpoint. */
export function knownScopes(scopes: readonly string[]): readonly string[] {
  return scopes.filter(
    (scope) =>
      (STANDARD_SCOPES as readonly string[]).includes(scope) ||
      AUDIENCE_SCOPE.test(scope) ||
      isReservedScope(scope),
  );
}
