// SQL by hand: keys are listed in byte order (COLLATE "C"), and a value is set by one upsert that raises its sequence
import type { EntityManager } from 'typeorm';
import type { UserMetadata } from '../../../domain/users/users.store.js';
import { VIEW_COLUMNS } from '../page-of-rows.js';
import type { Statement } from '../statement.js';
import { columns, detailsOf, SET_ANEW } from '../table.js';
import { UserMetadataEntity } from '../tables/user-metadata.entity.js';

const COLUMNS = columns(UserMetadataEntity, 'm', [
  'key',
  'value',
  'orgId',
  'sequence',
  'createdAt',
  'changedAt',
]);

// by bytes, whatever the database's collation
const MATCHING = `FROM user_metadata m WHERE m.org_id = $1 AND m.user_id = $2 AND starts_with(m.key, $3)`;
function list(direction: 'ASC' | 'DESC'): Statement {
  return {
    name: `user-metadata-list-${direction}`,
    text: `SELECT ${COLUMNS} ${MATCHING}
           AND ($6::text IS NULL OR m.key COLLATE "C" ${direction === 'ASC' ? '>' : '<'} $6)
           ORDER BY m.key COLLATE "C" ${direction} OFFSET $4 LIMIT $5::bigint + 1`,
  };
}
export const LIST_METADATA = { ascending: list('ASC'), descending: list('DESC') };

export const COUNT_METADATA = {
  name: 'user-metadata-count',
  text: `SELECT count(*)::integer AS total, ${VIEW_COLUMNS} ${MATCHING}`,
};

/** How many keys and bytes a user has beside one key. */
export function otherMetadata(entities: EntityManager) {
  return entities
    .createQueryBuilder(UserMetadataEntity, 'm')
    .select('count(*)::integer', 'keys')
    .addSelect('coalesce(sum(octet_length(m.key) + octet_length(m.value)), 0)::float8', 'bytes')
    .where('m.orgId = :orgId AND m.userId = :userId AND m.key <> :key');
}

export const SET_METADATA = {
  name: 'user-metadata-set',
  text: `
    WITH anew AS MATERIALIZED (SELECT ${SET_ANEW} AS sequence)
    INSERT INTO user_metadata AS m (org_id, user_id, key, value, sequence)
    SELECT $1, $2, $3, $4::bytea, anew.sequence FROM anew
    ON CONFLICT ON CONSTRAINT user_metadata_pkey DO UPDATE
      SET value = excluded.value, sequence = m.sequence + 1, changed_at = app_now()
    RETURNING ${columns(UserMetadataEntity, 'm', ['orgId', 'sequence', 'createdAt', 'changedAt'])},
      m.sequence = (SELECT sequence FROM anew) AS "isNew"`,
};

export type MetadataRow = Pick<
  UserMetadataEntity,
  'key' | 'value' | 'orgId' | 'sequence' | 'createdAt' | 'changedAt'
>;

export function metadataOf(row: MetadataRow): UserMetadata {
  return { key: row.key, value: row.value, details: detailsOf(row) };
}
