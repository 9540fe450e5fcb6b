// SQL by hand: a column of the statements that read the access of an application to our own APIs
/**
 * SQL: the current roles of the user who gave an application its access, in the instance and in the application's organization, as JSON.
 * A user who is not active, or whose organization is not, has none: `GivenAccess.grantorRoles`.
 *
 * @param application alias of its row
 */
export function grantorRoles(application: string): string {
  return `(SELECT coalesce(json_agg(gm.role), '[]')
           FROM users gu JOIN organizations go ON go.id = gu.org_id AND go.state = 'active'
           JOIN memberships gm ON gm.user_id = gu.id AND (gm.org_id IS NULL OR gm.org_id = ${application}.org_id)
           WHERE gu.id = ${application}.access_given_by AND gu.state = 'active')`;
}
