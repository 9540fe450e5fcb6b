// SQL by hand: parts of the statements of work that goes on after its call
/**
 * Whether somebody who asked for work that goes on after the call is still let in: they, and the organization that they are of.
 *
 * @param user SQL for the id of whoever asked
 */
export function callerActive(user: string): string {
  return `coalesce((SELECT u.state IN ('initial', 'active') AND o.state = 'active'
      FROM users u JOIN organizations o ON o.id = u.org_id WHERE u.id = ${user}), false) AS "callerActive"`;
}

/**
 * Whether the personal access token that they came with was revoked; one that has just run out was not.
 *
 * @param token SQL for its id, null for whoever came with another token
 */
export function tokenRevoked(token: string): string {
  return `${token} IS NOT NULL AND NOT EXISTS
        (SELECT FROM personal_access_tokens p WHERE p.id = ${token} AND p.revoked_at IS NULL) AS "tokenRevoked"`;
}
