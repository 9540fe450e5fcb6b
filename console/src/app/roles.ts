/**
 * Which roles open what a permission guards, for whoever lacks it. The service decides by its own table
 * (src/domain/permissions/permissions.ts), with which a test compares this one.
 */

/** Whoever looks after users needs to see these as well. */
const SEEN_BY_ALL = new Set(['user.read', 'user.grant.read', 'project.read', 'policy.read', 'org.read']);
const OF_USER_MANAGERS = new Set(['user.write', 'user.grant.write']);
const OF_INSTANCE = /^(?:iam|queues)\.|^org\.(?:create|domain\.vouch)$/;
/** Says who may do everything: owners alone. */
const NOT_OF_VIEWERS = 'iam.member.read';

/** The lowest last, which is the one to ask for. */
export function rolesWith(permission: string) {
  const isRead = permission.endsWith('.read') && permission !== NOT_OF_VIEWERS;
  if (OF_INSTANCE.test(permission))
    return isRead ? (['IAM_OWNER', 'IAM_OWNER_VIEWER'] as const) : (['IAM_OWNER'] as const);
  if (SEEN_BY_ALL.has(permission)) return ['ORG_OWNER', 'ORG_USER_MANAGER', 'ORG_OWNER_VIEWER'] as const;
  if (OF_USER_MANAGERS.has(permission)) return ['ORG_OWNER', 'ORG_USER_MANAGER'] as const;
  return isRead ? (['ORG_OWNER', 'ORG_OWNER_VIEWER'] as const) : (['ORG_OWNER'] as const);
}
