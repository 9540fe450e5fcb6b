import { Injectable } from '@nestjs/common';
import { readReservedScopes, type ReservedScopes } from '../scopes/reserved-scopes.js';
import { TokensStore, type ProjectRoleOfUser, type RolesAndMetadata } from '../tokens.store.js';
import type { ClaimSet } from './user-claims.js';

const FAMILY = 'urn:zitadel:iam';

/** Whose claims are asked for, by which client, how far. */
interface RoleAndMetadataQuestion {
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Project ids. */
  readonly audience: readonly string[];
  /** The asking client's own project: its roles stand under the short name of the claim, too. A service user has none. */
  readonly ownProjectId?: string | undefined;
  /** The project gives its roles without being asked for them (`projectRoleAssertion`). */
  readonly assertsRoles: boolean;
  /** Which claims the place may have that they go into. */
  readonly include: { readonly roles: boolean; readonly organization: boolean; readonly metadata?: boolean };
}

/**
 * Claims about where a user stands (protocol §6.2): roles, organization, resource owner, metadata. Read whenever they are asked
 * for. Nothing is read where no scope and no project wants any of them.
 *
 * Introspection gives the roles of the introspecting client's project only: it is then both `ownProjectId` and the
 * whole `audience`.
 */
@Injectable()
export class RoleAndMetadataClaims {
  constructor(private readonly tokens: TokensStore) {}

  async of(question: RoleAndMetadataQuestion): Promise<ClaimSet> {
    const scopes = readReservedScopes(question.scopes);
    const projectIds = question.include.roles ? projectsAskedFor(question, scopes) : [];
    const wantsOrganization =
      question.include.organization && (scopes.organizations.length > 0 || scopes.resourceOwner);
    const metadata = scopes.metadata && question.include.metadata === true;
    if (projectIds.length === 0 && !wantsOrganization && !metadata) return {};
    const found = await this.tokens.findRolesAndMetadata(question.userId, { projectIds, metadata });
    if (found === undefined) return {};
    return {
      ...(wantsOrganization ? organizationClaims(found, scopes) : {}),
      ...roleClaims(found, scopes, question),
      ...(metadata ? metadataClaim(found) : {}),
    };
  }
}

function projectsAskedFor(
  { audience, ownProjectId, assertsRoles }: RoleAndMetadataQuestion,
  { roleKeys, allRoles }: ReservedScopes,
): readonly string[] {
  const own = ownProjectId === undefined ? [] : [ownProjectId];
  if (allRoles) return [...new Set([...own, ...audience])];
  // a service user has no project of its own: it means those that it talks to
  if (ownProjectId === undefined && roleKeys.length > 0) return audience;
  return roleKeys.length > 0 || assertsRoles ? own : [];
}

/** The family of the request's scope decides nothing: claims have one name each. */
function organizationClaims(
  { orgId, orgName, primaryDomain }: RolesAndMetadata,
  { organizations, resourceOwner }: ReservedScopes,
): ClaimSet {
  // an organization that the user does not belong to is not confirmed
  const asked = organizations.find(({ by, value }) => value === (by === 'id' ? orgId : primaryDomain));
  const claims: ClaimSet = {};
  if (asked?.by === 'id') claims[`${FAMILY}:org:id`] = orgId;
  if (asked?.by === 'domain') claims[`${FAMILY}:org:domain:primary`] = primaryDomain;
  if (asked !== undefined || resourceOwner) {
    const owner = `${FAMILY}:user:resourceowner`;
    claims[`${owner}:id`] = orgId;
    claims[`${owner}:name`] = orgName;
    if (primaryDomain !== '') claims[`${owner}:primary_domain`] = primaryDomain;
  }
  return claims;
}

/** Whatever others keep about the user, in base64url: values are bytes (protocol §6.2). Left out where there is none. */
function metadataClaim({ metadata }: RolesAndMetadata): ClaimSet {
  const entries = Object.entries(metadata).map(([key, value]) => [key, value.toString('base64url')] as const);
  return entries.length === 0 ? {} : { [`${FAMILY}:user:metadata`]: Object.fromEntries(entries) };
}

/** Role key → id of the organization that gave it → that organization's primary domain. */
type RolesClaim = Record<string, Record<string, string>>;

function roleClaims(
  { roles }: RolesAndMetadata,
  scopes: ReservedScopes,
  question: RoleAndMetadataQuestion,
): ClaimSet {
  const { ownProjectId } = question;
  const byProject = new Map<string, RolesClaim>();
  for (const role of roles) {
    if (!isAskedFor(role, scopes, question)) continue;
    const claim = byProject.get(role.projectId) ?? emptyClaim();
    byProject.set(role.projectId, claim);
    (claim[role.key] ??= {})[role.orgId] = role.domain;
  }
  const claims: ClaimSet = {};
  const own = ownProjectId === undefined ? undefined : byProject.get(ownProjectId);
  if (own !== undefined) claims[`${FAMILY}:org:project:roles`] = own;
  for (const [projectId, claim] of byProject) claims[`${FAMILY}:org:project:${projectId}:roles`] = claim;
  return claims;
}

/** Without a prototype: a role may be called `constructor`. */
function emptyClaim(): RolesClaim {
  return Object.create(null) as RolesClaim;
}

function isAskedFor(
  role: ProjectRoleOfUser,
  { roleKeys, allRoles, roleOrganizations }: ReservedScopes,
  { ownProjectId, assertsRoles }: RoleAndMetadataQuestion,
): boolean {
  if (roleOrganizations.length > 0 && !roleOrganizations.includes(role.orgId)) return false;
  if (allRoles) return true;
  if (ownProjectId !== undefined && role.projectId !== ownProjectId) return false;
  return roleKeys.length === 0 ? assertsRoles : roleKeys.includes(role.key);
}
