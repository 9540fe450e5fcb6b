/**
 * Who may do what. A role is held in one organization (`ORG_…`) or in the instance (`IAM_…`, valid in every
 * organization); this table is the only place that says what a role allows. Nothing is cached: the roles are read
 * for every call, so that taking one away works at once.
 */
export const ROLES = [
  'IAM_OWNER',
  'IAM_OWNER_VIEWER',
  'IAM_END_USER_IMPERSONATOR',
  'IAM_ADMIN_IMPERSONATOR',
  'ORG_OWNER',
  'ORG_USER_MANAGER',
  'ORG_OWNER_VIEWER',
  'ORG_END_USER_IMPERSONATOR',
  'ORG_ADMIN_IMPERSONATOR',
] as const;
export type Role = (typeof ROLES)[number];

/** Owners of the instance, and of an organization. */
export const OWNER_ROLES: readonly Role[] = ['IAM_OWNER', 'ORG_OWNER'];

export type Permission =
  | 'user.read'
  | 'user.write'
  | 'user.import'
  | 'user.grant.read'
  | 'user.grant.write'
  | 'project.read'
  | 'project.write'
  | 'project.app.read'
  | 'project.app.write'
  | 'policy.read'
  | 'policy.write'
  | 'org.read'
  | 'org.write'
  | 'org.delete'
  | 'org.create'
  | 'org.domain.vouch'
  | 'org.member.read'
  | 'org.member.write'
  | 'org.idp.read'
  | 'org.idp.write'
  | 'org.webhook.read'
  | 'org.webhook.write'
  | 'events.read'
  | 'notification.read'
  | 'notification.write'
  | 'iam.read'
  | 'iam.write'
  | 'iam.events.read'
  | 'iam.web_key.read'
  | 'iam.web_key.write'
  | 'iam.web_key.delete'
  | 'iam.notification_provider.read'
  | 'iam.notification_provider.write'
  | 'iam.notification_provider.test'
  | 'iam.member.read'
  | 'iam.member.write'
  | 'iam.idp.read'
  | 'iam.idp.write'
  | 'iam.webhook.read'
  | 'iam.webhook.write'
  | 'queues.read'
  | 'queues.write'
  | 'impersonation'
  | 'admin.impersonation';

/** What whoever may look at an organization sees. */
const VIEW: readonly Permission[] = [
  'user.read',
  'user.grant.read',
  'project.read',
  'project.app.read',
  'policy.read',
  'org.read',
  'org.member.read',
  'org.idp.read',
  'org.webhook.read',
  'notification.read',
  'events.read',
];

const IN_ORGANIZATION: readonly Permission[] = [
  ...VIEW,
  'user.write',
  'user.import',
  'user.grant.write',
  'project.write',
  'project.app.write',
  'policy.write',
  'org.write',
  'org.delete',
  'org.member.write',
  'org.idp.write',
  'org.webhook.write',
  'notification.write',
];

const IN_INSTANCE: readonly Permission[] = [
  'org.create',
  // domains that they add need no proof
  'org.domain.vouch',
  'iam.read',
  'iam.write',
  'iam.events.read',
  'iam.web_key.read',
  'iam.web_key.write',
  'iam.web_key.delete',
  'iam.notification_provider.read',
  'iam.notification_provider.write',
  // messages that cost money, to whomever the caller names
  'iam.notification_provider.test',
  'iam.member.read',
  'iam.member.write',
  'iam.idp.read',
  'iam.idp.write',
  'iam.webhook.read',
  'iam.webhook.write',
  'queues.read',
  'queues.write',
];

const PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  IAM_OWNER: [...IN_ORGANIZATION, ...IN_INSTANCE],
  IAM_OWNER_VIEWER: [
    ...VIEW,
    'iam.read',
    'iam.events.read',
    'iam.web_key.read',
    'iam.notification_provider.read',
    'iam.idp.read',
    'iam.webhook.read',
    'queues.read',
  ],
  IAM_END_USER_IMPERSONATOR: ['impersonation'],
  IAM_ADMIN_IMPERSONATOR: ['impersonation', 'admin.impersonation'],
  ORG_OWNER: IN_ORGANIZATION,
  // importing brings passwords along, so it stays with owners
  ORG_USER_MANAGER: [
    'user.read',
    'user.write',
    'user.grant.read',
    'user.grant.write',
    'project.read',
    'policy.read',
    'org.read',
  ],
  ORG_OWNER_VIEWER: VIEW,
  ORG_END_USER_IMPERSONATOR: ['impersonation'],
  ORG_ADMIN_IMPERSONATOR: ['impersonation', 'admin.impersonation'],
};

/** Each permission once, in no order that says anything. */
export function permissionsOf(roles: readonly Role[]): readonly Permission[] {
  return [...new Set(roles.flatMap((role) => PERMISSIONS[role]))];
}

export function allows(roles: readonly Role[], permission: Permission): boolean {
  return roles.some(
    (role) => (PERMISSIONS[role] as readonly Permission[] | undefined)?.includes(permission) === true,
  );
}
