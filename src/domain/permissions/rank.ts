import type { OrgId } from '../shared/ids.js';
import { ROLES, type Role } from './permissions.js';

/** A role and where it holds: in one organization, or in the instance (null). */
export interface HeldRole {
  readonly role: Role;
  readonly orgId: OrgId | null;
}

/**
 * Whom the holder of a role may speak for. It is more than what the role allows: somebody who can sign in as another,
 * because they made that one's credentials, can do all that the other can, impersonating included. So a role that no
 * line names is out of reach, and an owner reaches what an owner could give anyway.
 */
export const REACH: Readonly<Record<Role, readonly Role[]>> = {
  IAM_OWNER: ROLES,
  IAM_OWNER_VIEWER: ['IAM_OWNER_VIEWER', 'ORG_OWNER_VIEWER'],
  IAM_END_USER_IMPERSONATOR: ['IAM_END_USER_IMPERSONATOR', 'ORG_END_USER_IMPERSONATOR'],
  IAM_ADMIN_IMPERSONATOR: ['IAM_ADMIN_IMPERSONATOR', 'ORG_ADMIN_IMPERSONATOR'],
  ORG_OWNER: ROLES.filter((role) => role.startsWith('ORG_')),
  ORG_USER_MANAGER: ['ORG_USER_MANAGER'],
  ORG_OWNER_VIEWER: ['ORG_OWNER_VIEWER'],
  ORG_END_USER_IMPERSONATOR: ['ORG_END_USER_IMPERSONATOR'],
  ORG_ADMIN_IMPERSONATOR: ['ORG_ADMIN_IMPERSONATOR'],
};

/**
 * Whether one user outranks or equals another: each role of the other, wherever it holds, is within reach of a role
 * that holds there too. Somebody without any role is within everybody's reach.
 */
export function outranksOrEquals(actor: readonly HeldRole[], other: readonly HeldRole[]): boolean {
  return other.every(({ role, orgId }) =>
    actor.some((held) => (held.orgId === null || held.orgId === orgId) && REACH[held.role].includes(role)),
  );
}
