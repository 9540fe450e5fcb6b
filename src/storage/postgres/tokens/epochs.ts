/**
 * What was given out to somebody holds only while their epoch is the one that it was given out under. An organization
 * that is switched off raises one number of its own, whether it has ten users or a million: their epochs are sums with
 * it. Numbers only rise, so no sum ever comes back, and what had ended is not revived by a reactivation.
 */

/** Of a user `u` in the organization `o`: in sessions, grants and access tokens. */
export const SUBJECT_EPOCH = '(u.token_epoch + o.token_epoch)';

/**
 * Of an application `a`: in access tokens. A new secret or a removed key ends these, too.
 *
 * @param organization the alias of its organization
 */
export function clientEpoch(organization: 'o' | 'ao'): string {
  return `(a.token_epoch + ${organization}.token_epoch)`;
}

/**
 * The same of `a` in `ao` for its grants, with their codes and refresh tokens: an application, its project or its organization that
 * is switched off ends them, and so does one that needs no secret or key any more. A new secret does not, since nobody uses
 * them without it.
 */
export const AUTHORIZATION_EPOCH = '(a.authorization_epoch + ao.token_epoch)';

/**
 * The application of a grant that is being opened, as `a` of `ao`: active at the very moment that its epoch is read.
 *
 * @param id the parameter with its id
 */
export function openingApplication(id: string): string {
  return `(applications a
        JOIN projects ap ON ap.id = a.project_id AND ap.state = 'active'
        JOIN organizations ao ON ao.id = a.org_id AND ao.state = 'active')
      ON a.id = ${id} AND a.state = 'active'`;
}
