// SQL by hand: each client assertion looks up its client's key by a prepared statement
import type { JWK } from 'jose';
import type { EntityManager } from 'typeorm';
import type { ClientRegistration } from '../../../domain/applications/application.js';
import type { ApplicationKey, ApplicationPlace } from '../../../domain/applications/applications.store.js';
import { TLS_SUBJECT_FIELDS, type TlsSubjectField } from '../../../domain/applications/tls-subject.js';
import type { ApplicationKeyId, OrgId } from '../../../domain/shared/ids.js';
import { UNTIL_EXPIRY } from '../page-statement.js';
import { PagedQuery, Query, selecting } from '../query.js';
import type { Sql } from '../sql.js';
import type { Row } from '../statement.js';
import { columns, COUNTED_BY, detailsOf } from '../table.js';
import { ApplicationKeyEntity } from '../tables/application-key.entity.js';
import { ApplicationEntity } from '../tables/application.entity.js';

const TLS_SUBJECT = Object.keys(TLS_SUBJECT_FIELDS) as TlsSubjectField[];
const READ = ['id', 'expiresAt', ...COUNTED_BY] as const;
/** Keys of an application, joined because their rows have no project id. */
function keysOf(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ApplicationKeyEntity, 'k'), READ)
    .innerJoin(ApplicationEntity, 'a', 'a.orgId = k.orgId AND a.id = k.applicationId')
    .where('a.orgId = :orgId AND a.projectId = :projectId AND a.id = :id');
}

export function keyQueries(sql: Sql) {
  return {
    find: new Query<KeyRow, ApplicationPlace & { keyId: ApplicationKeyId }>(
      sql,
      'application-keys-find',
      (entities) => keysOf(entities).andWhere('k.id = :keyId'),
    ),
    list: new PagedQuery<KeyRow, ApplicationPlace>(sql, 'application-keys-list', keysOf, UNTIL_EXPIRY),
  };
}

// $2 is NAMELESS (domain/applications/keys/key-set.ts) if the JWT has no kid: then the key that was registered without one, or the only key
export const FIND_LIVE_KEY = {
  name: 'client-assertions-find-key',
  text: `
    SELECT k.public_jwk, a.jwks_uri, a.org_id, a.registration
    FROM applications a
    LEFT JOIN application_keys k ON k.org_id = a.org_id AND k.application_id = a.id AND a.jwks_uri IS NULL
      AND k.expires_at > app_now() AND (coalesce(k.client_kid, k.id) = $2 OR ($2 = '' AND NOT EXISTS (
        SELECT FROM application_keys o
        WHERE o.org_id = k.org_id AND o.application_id = k.application_id AND o.id <> k.id AND o.expires_at > app_now())))
    WHERE a.client_id = $1 AND a.auth_method = 'private_key_jwt' AND coalesce(k.id, a.jwks_uri) IS NOT NULL`,
};

export type LiveKeyRow = Row & {
  public_jwk: JWK;
  jwks_uri: string | null;
  org_id: OrgId;
  registration: ClientRegistration | null;
};

/** The application $1, and whether one of its keys contains the members of the JWK $2. */
export const FIND_CERTIFICATE_RULES = {
  name: 'client-certificates-find-rules',
  text: `
    SELECT ${columns(ApplicationEntity, 'a', TLS_SUBJECT)}, EXISTS (
      SELECT FROM application_keys k
      WHERE k.org_id = a.org_id AND k.application_id = a.id AND k.expires_at > app_now() AND k.public_jwk @> $2::jsonb
    ) AS "hasKey"
    FROM applications a WHERE a.client_id = $1`,
};

type KeyRow = Pick<ApplicationKeyEntity, (typeof READ)[number]>;

export function keyOf(row: KeyRow): ApplicationKey {
  return { id: row.id, expiresAt: row.expiresAt, details: detailsOf(row) };
}
