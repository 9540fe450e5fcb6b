// SQL by hand: columns of the statements of background work, on the user who requested it
import { USABLE_STATES } from '../../../domain/users/user.js';
import { oneOf } from '../one-of.js';
import { SUBJECT_EPOCH } from '../tokens/epochs.js';

/**
 * Whether the user who requested background work is still active, and so is their organization.
 *
 * @param user SQL for the id of that user
 */
export function callerActive(user: string): string {
  return `coalesce((SELECT u.state ${oneOf(USABLE_STATES)} AND o.state = 'active'
      FROM users u JOIN organizations o ON o.id = u.org_id WHERE u.id = ${user}), false) AS "callerActive"`;
}

/**
 * Whether the token of their request was revoked since: a personal access token itself, any other by the token epoch of its subject. A
 * token that has only expired counts as not revoked.
 *
 * @param work alias of the row with `created_by`, `token_id` and `subject_epoch`
 */
export function tokenRevoked(work: string): string {
  return `(${work}.token_id IS NOT NULL AND NOT EXISTS
        (SELECT FROM personal_access_tokens p WHERE p.id = ${work}.token_id AND p.revoked_at IS NULL)
      OR ${work}.subject_epoch IS NOT NULL AND NOT EXISTS
        (SELECT FROM users u JOIN organizations o ON o.id = u.org_id
         WHERE u.id = ${work}.created_by AND ${SUBJECT_EPOCH} = ${work}.subject_epoch)) AS "tokenRevoked"`;
}
