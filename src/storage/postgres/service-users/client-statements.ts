// SQL by hand: a token request reads the service user, its credential and its audience by one prepared statement
import type { ServiceUserClient } from '../../../domain/service-users/service-users.store.js';
import { domainInAscii, partsOfName } from '../../../domain/users/names/user-name.js';
import {
  LIFETIME_COLUMNS,
  lifetimeJoins,
  lifetimesOf,
  type LifetimesRow,
} from '../policies/lifetime-columns.js';
import { columns } from '../table.js';
import { ServiceUserKeyEntity } from '../tables/service-user-key.entity.js';
import { ServiceUserEntity, UserEntity } from '../tables/user.entity.js';
import { mayNameProject } from '../tokens/audience-rule.js';
import { SUBJECT_EPOCH } from '../tokens/epochs.js';

/** @param projects the parameter with the project ids that were asked for */
function clientColumns(projects: string): string {
  return `
    u.id AS "userId", ${columns(UserEntity, 'u', ['orgId', 'userName'])}, ${SUBJECT_EPOCH} AS "tokenEpoch",
    ${columns(ServiceUserEntity, 'm', ['accessTokenType'])},
    u.state = 'active' AND o.state = 'active' AS active, ${LIFETIME_COLUMNS},
    EXISTS (SELECT FROM applications a WHERE a.client_id = u.user_name)
      OR EXISTS (SELECT FROM projects n WHERE n.id = u.user_name) AS "namedLikeClient",
    array(SELECT p.id FROM projects p
          WHERE p.id = ANY (${projects}::text[]) AND p.state = 'active'
            AND ${mayNameProject({ project: 'p', orgId: 'u.org_id' })}) AS audience`;
}

// users with this full login name, or with this user name in any organization. Their secret hashes are compared in SQL, as those of
// personal access tokens are: timing does not help to guess a secret of 256 bits
const MEANT = `
    WITH meant AS (
      SELECT i.user_id
      FROM organization_domains d
      JOIN login_identifiers i ON i.org_id = d.org_id AND i.kind = 'user_name' AND i.canonical = $2
      WHERE d.is_primary AND d.domain = $3
      UNION
      SELECT i.user_id FROM login_identifiers i WHERE i.canonical = $1 AND i.kind = 'user_name'
        AND NOT EXISTS (SELECT FROM organizations o WHERE o.id = i.org_id AND o.state = 'removed')
    )`;
export const FIND_BY_SECRET = {
  name: 'service-user-clients-find-by-secret',
  text: `${MEANT}
    SELECT to_json(found) AS found FROM (
      SELECT ${clientColumns('$4')}
      FROM meant
      JOIN service_users m ON m.user_id = meant.user_id AND m.secret_hash = $5
      JOIN users u ON u.id = m.user_id
      JOIN organizations o ON o.id = u.org_id${lifetimeJoins('u.org_id')}) AS found`,
};

export const FIND_BY_NAME = {
  name: 'service-user-clients-find-by-name',
  text: `${MEANT}
    SELECT u.id AS "userId", ${columns(UserEntity, 'u', ['orgId'])}
    FROM meant
    JOIN service_users m ON m.user_id = meant.user_id AND m.secret_hash IS NOT NULL
    JOIN users u ON u.id = m.user_id
    ORDER BY u.id LIMIT 1`,
};

export const FIND_BY_KEY = {
  name: 'service-user-clients-find-by-key',
  text: `
    SELECT to_json(found) AS found FROM (
      SELECT ${clientColumns('$3')}, ${columns(ServiceUserKeyEntity, 'k', ['publicJwk'])}
      FROM service_user_keys k
      JOIN users u ON u.org_id = k.org_id AND u.id = k.user_id
      JOIN service_users m ON m.user_id = u.id
      JOIN organizations o ON o.id = u.org_id${lifetimeJoins('u.org_id')}
      WHERE k.id = $1 AND k.user_id = $2 AND k.expires_at > app_now()) AS found`,
};

export type ClientJson = Omit<ServiceUserClient, 'lifetimes'> & LifetimesRow;

export function clientOf<Json extends ClientJson>(found: Json) {
  return Object.assign(found, { lifetimes: lifetimesOf(found) });
}

/** The name as a whole, and its two parts where it may be a full login name. */
export function meantBy(canonicalName: string): readonly (string | null)[] {
  const parts = partsOfName(canonicalName);
  return parts === undefined
    ? [canonicalName, null, null]
    : [canonicalName, parts.local, domainInAscii(parts.domain)];
}
