// SQL by hand: one statement tells whether a user can sign in at all, by password, passkey or identity provider
import { OWNER_ROLES } from '../../../domain/permissions/permissions.js';
import { allowsProvider } from '../identity-providers/identity-providers.store.js';
import { MAY_IDENTIFY } from '../identity-providers/user-identities.store.js';
import { oneOf } from '../one-of.js';

export const FIND_ANY_WAY_IN = {
  name: 'users-find-any-way-in',
  text: `
    SELECT mine.known OR coalesce(bool_or(lets_in), false) AS now,
      mine.known OR coalesce(bool_or(lets_in OR mine.owns) FILTER (WHERE lets_in IS NOT NULL), false) AS later
    FROM (
      SELECT EXISTS (SELECT FROM user_passwords WHERE user_id = $1)
        OR EXISTS (SELECT FROM passkeys WHERE user_id = $1 AND passwordless) AS known,
        EXISTS (SELECT FROM memberships WHERE user_id = $1 AND role ${oneOf(OWNER_ROLES)}) AS owns
    ) mine
    LEFT JOIN (
      SELECT coalesce(${allowsProvider('u.org_id', 'l')}, false) AS lets_in
      FROM user_identities i
      JOIN identity_providers p ON p.id = i.provider_id
      JOIN users u ON u.id = i.user_id
      LEFT JOIN login_policies l ON l.org_id = u.org_id AND l.is_set
      WHERE i.user_id = $1 AND ${MAY_IDENTIFY}
    ) elsewhere ON true
    GROUP BY mine.known, mine.owns`,
};

/** SQL: the state of a user who is reactivated or unlocked: `initial` for a human without password, passkey and identity, else `active`. */
export const USABLE_AGAIN = `CASE
  WHEN kind = 'human' AND NOT EXISTS (SELECT FROM user_passwords p WHERE p.user_id = users.id)
    AND NOT EXISTS (SELECT FROM passkeys k WHERE k.user_id = users.id)
    AND NOT EXISTS (SELECT FROM user_identities i WHERE i.org_id = users.org_id AND i.user_id = users.id) THEN 'initial'
  ELSE 'active' END`;
