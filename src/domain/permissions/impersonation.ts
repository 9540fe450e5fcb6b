import type { OrgId } from '../shared/ids.js';
import { allows, ROLES, type Role } from './permissions.js';
import { REACH, type HeldRole } from './rank.js';

const OF_ORGANIZATIONS = ROLES.filter((role) => role.startsWith('ORG_'));

/**
 * Whom an administrator's impersonator may act for, beside those whom the rest of their roles reaches. It is more than
 * they could make credentials for, because what they get opens none of the service's own APIs; an instance owner is
 * beyond them all the same, and an organization's impersonator stays in the organization.
 */
const ACTS_FOR: Partial<Record<Role, readonly Role[]>> = {
  IAM_ADMIN_IMPERSONATOR: [
    ...OF_ORGANIZATIONS,
    'IAM_OWNER_VIEWER',
    'IAM_END_USER_IMPERSONATOR',
    'IAM_ADMIN_IMPERSONATOR',
  ],
  ORG_ADMIN_IMPERSONATOR: OF_ORGANIZATIONS,
};

/** Somebody who is to be impersonated. */
interface ImpersonationTarget {
  readonly orgId: OrgId;
  readonly roles: readonly HeldRole[];
}

/**
 * The actor's roles that impersonating rests on; undefined when it may not be. It takes the permission in the target's
 * organization, the administrators' one when the target holds any role, and each role of the target within reach of
 * one of the actor's that holds where it does.
 */
export function rolesToImpersonate(
  actor: readonly HeldRole[],
  target: ImpersonationTarget,
): readonly HeldRole[] | undefined {
  const permission = target.roles.length === 0 ? 'impersonation' : 'admin.impersonation';
  const permitting = actor.find(
    ({ role, orgId }) => (orgId === null || orgId === target.orgId) && allows([role], permission),
  );
  if (permitting === undefined) return undefined;
  const resting = new Set([permitting]);
  for (const { role, orgId } of target.roles) {
    const reaching = actor.find(
      (held) =>
        (held.orgId === null || held.orgId === orgId) &&
        (REACH[held.role].includes(role) || ACTS_FOR[held.role]?.includes(role) === true),
    );
    if (reaching === undefined) return undefined;
    resting.add(reaching);
  }
  return [...resting];
}
