// SQL by hand: keys in the order of their bytes, and a value set or replaced by one statement
import type { UserMetadata } from '../../../domain/users/users.store.js';
import type { Statement } from '../statement.js';
import { columns, detailsOf } from '../table.js';
import { UserMetadataEntity } from '../tables/user-metadata.entity.js';
import { VIEW_COLUMNS } from '../view-row.js';

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
           ORDER BY m.key COLLATE "C" ${direction} OFFSET $4 LIMIT $5`,
  };
}
export const LIST_METADATA = { ascending: list('ASC'), descending: list('DESC') };

export const COUNT_METADATA = {
  name: 'user-metadata-count',
  text: `SELECT count(*)::integer AS total, ${VIEW_COLUMNS} ${MATCHING}`,
};

export const MEASURE_OTHER_METADATA = {
  name: 'user-metadata-measure-others',
  text: `
    SELECT count(*)::integer AS keys,
      coalesce(sum(octet_length(key) + octet_length(value)), 0)::float8 AS bytes
    FROM user_metadata WHERE org_id = $1 AND user_id = $2 AND key <> $3`,
};

export const SET_METADATA = {
  name: 'user-metadata-set',
  text: `
    INSERT INTO user_metadata AS m (org_id, user_id, key, value) VALUES ($1, $2, $3, $4)
    ON CONFLICT ON CONSTRAINT user_metadata_pkey DO UPDATE
      SET value = excluded.value, sequence = m.sequence + 1, changed_at = app_now()
    RETURNING ${columns(UserMetadataEntity, 'm', ['orgId', 'sequence', 'createdAt', 'changedAt'])}`,
};

export type MetadataRow = Pick<
  UserMetadataEntity,
  'key' | 'value' | 'orgId' | 'sequence' | 'createdAt' | 'changedAt'
>;

export function metadataOf(row: MetadataRow): UserMetadata {
  return { key: row.key, value: row.value, details: detailsOf(row) };
}
