// SQL by hand: what a removed organization has is deleted in batches, table by table
import { insertEvents } from '../events/insert-events.js';
import type { Statement } from '../statement.js';
import { emptyMessages, eraseUsers } from '../users/erase-users.js';

export const ERASURE_REASON = 'organization_removed';
const REMOVED = `EXISTS (SELECT FROM organizations o WHERE o.id = $1 AND o.state = 'removed')`;

export const LOCK_USERS_TO_ERASE = {
  name: 'organization-erase-lock-users',
  text: `
    SELECT id FROM users WHERE org_id = $1 AND state <> 'deleted' AND ${REMOVED}
    ORDER BY id LIMIT $2 FOR NO KEY UPDATE`,
};

export const ERASE_USERS = eraseUsers('organization-erase-users');

export const RECORD_ERASED_USERS = {
  name: 'organization-erase-record-users',
  text: `
    ${insertEvents('data')}
    SELECT org_id, 'user', id, sequence, 'user.removed', jsonb_build_object('reason', $3::text)
    FROM users WHERE org_id = $1 AND id = ANY ($2::text[]) ORDER BY id`,
};

/** A limited number of rows of `table` that belong to the organization by `org_id`. */
function chunkOf(table: string, change: string, key = 'id', condition = 'true'): Statement {
  return {
    name: `organization-erase-${table}`,
    text: `
      WITH doomed AS MATERIALIZED (
        SELECT ${key} AS key FROM ${table} WHERE org_id = $1 AND ${condition} AND ${REMOVED} LIMIT $2 FOR UPDATE
      )
      ${change} t.${key} IN (SELECT key FROM doomed)`,
  };
}

export const ERASE_OTHERS: readonly Statement[] = [
  // without a secret the application cannot authenticate; the row stays, since authorizations and logout notices refer to it
  chunkOf(
    'applications',
    `UPDATE applications t SET client_secret_hash = NULL, auth_method = 'none', token_epoch = token_epoch + 1,
       sequence = sequence + 1, changed_at = app_now() WHERE`,
    'id',
    'client_secret_hash IS NOT NULL',
  ),
  chunkOf('application_keys', 'DELETE FROM application_keys t WHERE'),
  // project grants that it gave, and those that it received
  chunkOf('project_grants', 'DELETE FROM project_grants t WHERE'),
  {
    name: 'organization-erase-granted-projects',
    text: `
      WITH doomed AS MATERIALIZED (
        SELECT id FROM project_grants WHERE granted_org_id = $1 AND ${REMOVED} LIMIT $2 FOR UPDATE
      )
      DELETE FROM project_grants t WHERE id IN (SELECT id FROM doomed)`,
  },
  // hours of a year: an organization has many rows
  chunkOf('organization_counts', 'DELETE FROM organization_counts t WHERE', 'ctid'),
  chunkOf('bulk_actions', 'DELETE FROM bulk_actions t WHERE'),
  // contacts and addresses of registered clients
  chunkOf('client_registrations', 'DELETE FROM client_registrations t WHERE', 'application_id'),
  chunkOf('initial_access_tokens', 'DELETE FROM initial_access_tokens t WHERE'),
  chunkOf('scim_tokens', 'DELETE FROM scim_tokens t WHERE'),
  // with their sealed secrets; identities and sign-ins of a provider are deleted with it
  chunkOf('identity_providers', 'DELETE FROM identity_providers t WHERE'),
  // migrated names first, in batches, before a cascade would delete all of them at once
  chunkOf('user_migration_names', 'DELETE FROM user_migration_names t WHERE', 'ctid'),
  chunkOf('user_migrations', 'DELETE FROM user_migrations t WHERE', 'org_id'),
  {
    name: 'organization-erase-provisioned-groups',
    text: `
      WITH doomed AS MATERIALIZED (
        SELECT project_id, role_key FROM provisioned_groups WHERE org_id = $1 AND ${REMOVED} LIMIT $2 FOR UPDATE
      )
      DELETE FROM provisioned_groups t USING doomed d WHERE t.project_id = d.project_id AND t.role_key = d.role_key`,
  },
  chunkOf('webhooks', 'DELETE FROM webhooks t WHERE'),
  chunkOf('claims_webhooks', 'DELETE FROM claims_webhooks t WHERE', 'org_id'),
  chunkOf('memberships', 'DELETE FROM memberships t WHERE'),
  chunkOf('message_templates', 'DELETE FROM message_templates t WHERE'),
  {
    name: 'organization-erase-registrations',
    text: `
      WITH doomed AS MATERIALIZED (
        SELECT id FROM registrations WHERE org_id = $1 AND ${REMOVED} LIMIT $2 FOR UPDATE
      ), unsent AS (
        ${emptyMessages('registration_id IN (SELECT id FROM doomed)', `'${ERASURE_REASON}'`)}
      )
      DELETE FROM registrations t WHERE id IN (SELECT id FROM doomed)`,
  },
  ...[
    'login_policies',
    'password_policies',
    'lockout_policies',
    'token_policies',
    'factor_policies',
    'branding_policies',
  ].map((table) => chunkOf(table, `DELETE FROM ${table} t WHERE`, 'org_id')),
];

export const FINISH_ERASURE = {
  name: 'organization-erase-finish',
  text: `
    UPDATE organizations o SET erased_at = app_now(), sequence = sequence + 1, changed_at = app_now()
    WHERE o.id = $1 AND o.state = 'removed' AND o.erased_at IS NULL
      AND o.changed_at < app_now() - interval '10 minutes'
      AND NOT EXISTS (SELECT FROM users u WHERE u.org_id = o.id AND u.state <> 'deleted')
    RETURNING o.id AS "orgId", o.sequence, o.created_at AS "createdAt", o.changed_at AS "changedAt"`,
};
