import type { OrgId } from '../shared/ids.js';
import { allows, type Role } from './permissions.js';
import type { HeldRole } from './rank.js';

/**
 * How far an application may act on the service's own APIs for whoever signs in to it: not at all; in its own
 * organization; or wherever its user may.
 */
export const MANAGEMENT_ACCESS = ['none', 'organization', 'instance'] as const;
export type ManagementAccess = (typeof MANAGEMENT_ACCESS)[number];

export function isMoreThan(one: ManagementAccess, other: ManagementAccess): boolean {
  return MANAGEMENT_ACCESS.indexOf(one) > MANAGEMENT_ACCESS.indexOf(other);
}

export function lesserOf(one: ManagementAccess, other: ManagementAccess): ManagementAccess {
  return isMoreThan(one, other) ? other : one;
}

/** The most that somebody can give to an application, by the roles that they hold where it is at home. */
export function mostToGive(roles: readonly Role[]): ManagementAccess {
  if (allows(roles, 'iam.write')) return 'instance';
  // whoever decides who has which role in the organization decides what acts with those roles
  return allows(roles, 'org.member.write') ? 'organization' : 'none';
}

/** What an application was given, and what of it counts right now. */
export interface GivenAccess {
  readonly orgId: OrgId;
  readonly access: ManagementAccess;
  /** Bootstrap made it: nobody need have given it its access, and nobody need agree to it. */
  readonly firstParty: boolean;
  /** The giver's current roles in the application's organization; none if they are deleted, deactivated or locked. */
  readonly grantorRoles: readonly Role[];
}

/** What an application may do at this moment: never more than who gave it could give today. */
export function presentAccess({ access, firstParty, grantorRoles }: GivenAccess): ManagementAccess {
  return firstParty ? access : lesserOf(access, mostToGive(grantorRoles));
}

/** The same towards one user, who must have agreed. */
export interface AgreedAccess extends GivenAccess {
  readonly agreed: ManagementAccess;
}

/**
 * The roles that a token acts with: the least of what its user holds, what its application may do at this moment, and
 * what the user agreed to. Every check of a permission or of a rank goes through here (security S181).
 *
 * @param application null for a token of the user's own; undefined for an application that is removed or deactivated
 */
export function effectiveRoles(
  held: readonly HeldRole[],
  application: AgreedAccess | null | undefined,
): readonly HeldRole[] {
  if (application === null) return held;
  if (application === undefined) return [];
  const present = presentAccess(application);
  switch (application.firstParty ? present : lesserOf(present, application.agreed)) {
    case 'instance':
      return held;
    case 'organization':
      return held.filter(({ orgId }) => orgId === application.orgId);
    case 'none':
      return [];
  }
}
