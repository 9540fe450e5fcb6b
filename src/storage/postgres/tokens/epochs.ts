/**
 * Sessions, authorizations and tokens are valid only while the epoch of their user and their application is the one that they were
 * issued with. The epoch of a user or an application is a sum with that of its organization, so that deactivating an organization
 * changes one number, however many users it has. Numbers only rise: what has ended does not become valid by a reactivation.
 */

/** SQL: the epoch of a user `u` of organization `o`, for sessions, authorizations and access tokens. */
export const SUBJECT_EPOCH = '(u.token_epoch + o.token_epoch)';

/**
 * SQL: the epoch of an application `a` for access tokens; also raised by a new secret or a removed key.
 *
 * @param organization the alias of its organization
 */
export function clientEpoch(organization: 'o' | 'ao'): string {
  return `(a.token_epoch + ${organization}.token_epoch)`;
}

/**
 * SQL: the epoch of an application `a` of organization `ao` for authorizations, with their codes and refresh tokens. Raised when the
 * application, its project or its organization is deactivated, or when the application no longer needs a secret or key. Not raised by a
 * new secret, without which nobody can use them.
 */
export const AUTHORIZATION_EPOCH = '(a.authorization_epoch + ao.token_epoch)';

/**
 * SQL: the application `a` of organization `ao` of an authorization that is being opened, if all of them are active.
 *
 * @param id the parameter with its id
 */
export function openingApplication(id: string): string {
  return `(applications a
        JOIN projects ap ON ap.id = a.project_id AND ap.state = 'active'
        JOIN organizations ao ON ao.id = a.org_id AND ao.state = 'active')
      ON a.id = ${id} AND a.state = 'active'`;
}
