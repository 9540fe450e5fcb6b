import type { ServiceUserClient } from '../service-users/service-users.store.js';
import { OAuthError } from '../shared/errors.js';
import { isReservedScope, readReservedScopes } from '../tokens/scopes/reserved-scopes.js';
import {
  audienceProject,
  organizationOfScope,
  parseScopes,
  STANDARD_SCOPES,
} from '../tokens/scopes/scopes.js';

/** What a service user has: a name. It has no address, no number, and nobody who could be offline. */
const MEANINGFUL: ReadonlySet<string> = new Set(['openid', 'profile']);

/** The projects that a scope parameter names, before anything is known of who sends it. */
export function projectsNamedBy(scope: string | undefined, ownProjectId: string): readonly string[] {
  const projects = (parseScopes(scope ?? '') ?? []).map((one) => audienceProject(one, ownProjectId));
  return projects.filter((project) => project !== undefined);
}

/** Its roles and its organization, for callers that may see it: the scope itself grants nothing more. */
function isAboutRolesOrMetadata(scope: string): boolean {
  return isReservedScope(scope) && readReservedScopes([scope]).organizations.length === 0;
}

interface GrantedScopes {
  readonly scopes: readonly string[];
  /** Project ids. */
  readonly audience: readonly string[];
}

/**
 * What a service user gets of the scopes it asks for. Standard scopes that say nothing about it are left out; what is
 * unknown, or belongs to another organization, is refused, and both in the same words (spec, token endpoint errors).
 *
 * @throws OAuthError invalid_scope
 */
export function grantScopes(scope: string, user: ServiceUserClient, ownProjectId: string): GrantedScopes {
  const asked = parseScopes(scope);
  if (asked === undefined) throw new OAuthError('invalid_scope', 'scope is malformed');
  const scopes: string[] = [];
  const audience = new Set<string>();
  for (const one of asked) {
    const project = audienceProject(one, ownProjectId);
    if (project !== undefined && user.audience.includes(project)) audience.add(project);
    else if (
      organizationOfScope(one) !== user.orgId &&
      !MEANINGFUL.has(one) &&
      !isAboutRolesOrMetadata(one)
    ) {
      if ((STANDARD_SCOPES as readonly string[]).includes(one)) continue;
      throw new OAuthError('invalid_scope', 'scope is unknown or not granted to this user');
    }
    scopes.push(one);
  }
  if (scopes.length === 0)
    throw new OAuthError('invalid_scope', 'none of the requested scopes can be granted');
  return { scopes, audience: [...audience] };
}
