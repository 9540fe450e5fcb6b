// SQL by hand: one statement deletes the data of many users
import type { Statement } from '../statement.js';
import { columns } from '../table.js';
import { UserEntity } from '../tables/user.entity.js';

/** What the statement gives of each user. */
export type ErasedRow = Pick<UserEntity, 'orgId' | 'sequence' | 'createdAt' | 'changedAt'>;

/** Tables with data of a user, and their column of the organization. Sessions and authorizations stay, ended, until they are cleaned up. */
const PARTS = [
  ['user_humans', 'org_id'],
  ['service_users', 'org_id'],
  ['user_passwords', 'org_id'],
  ['user_metadata', 'org_id'],
  ['user_totp_secrets', 'org_id'],
  ['totp_enrolments', 'org_id'],
  ['passkeys', 'org_id'],
  ['passkey_challenges', 'org_id'],
  ['user_recovery_codes', 'org_id'],
  ['user_code_factors', 'org_id'],
  ['user_identities', 'org_id'],
  ['trusted_browsers', 'org_id'],
  ['login_identifiers', 'org_id'],
  ['personal_access_tokens', 'org_id'],
  ['service_user_keys', 'org_id'],
  ['role_assignments', 'org_id'],
  ['provisioned_users', 'org_id'],
  ['user_migration_entries', 'org_id'],
  ['consents', 'org_id'],
  ['verification_codes', 'org_id'],
  ['password_attempts', 'org_id'],
  ['memberships', 'user_org_id'],
] as const;

/**
 * For messages to somebody who was deleted: none is sent or retried any more, and sealed contents are deleted at once, also those of
 * dead letters that were kept for a replay.
 */
export function emptyMessages(recipient: string, reason: string): string {
  return `UPDATE notifications SET
          state = CASE WHEN finished_at IS NULL THEN 'abandoned' ELSE state END,
          last_error = CASE WHEN finished_at IS NULL THEN ${reason} ELSE last_error END,
          finished_at = coalesce(finished_at, app_now()), changed_at = app_now(), next_attempt_at = NULL,
          claimed_until = NULL, content_sealed = NULL, data_key_id = NULL
        WHERE ${recipient} AND (finished_at IS NULL OR content_sealed IS NOT NULL)`;
}

/**
 * Takes everything from users of one organization but their ids, which nobody gets again. Values: the organization,
 * ids of its users, and why.
 */
export function eraseUsers(name: string): Statement {
  return {
    name,
    text: `
      WITH ${PARTS.map(
        ([table, org]) =>
          `${table}_gone AS (DELETE FROM ${table} WHERE ${org} = $1 AND user_id = ANY ($2::text[]))`,
      ).join(',\n      ')},
      unsent AS (
        ${emptyMessages('org_id = $1 AND user_id = ANY ($2::text[])', '$3')}
      ), revoked AS (
        UPDATE authorizations SET revoked_at = app_now(), revoke_reason = $3
        WHERE org_id = $1 AND user_id = ANY ($2::text[]) AND revoked_at IS NULL
      )
      UPDATE users SET state = 'deleted', user_name = left(id, 200), token_epoch = token_epoch + 1,
        sequence = sequence + 1, changed_at = app_now()
      WHERE org_id = $1 AND id = ANY ($2::text[]) RETURNING ${columns(UserEntity, 'users', ['orgId', 'sequence', 'createdAt', 'changedAt'])}`,
  };
}
