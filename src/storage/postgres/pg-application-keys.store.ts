import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import type { ApplicationPlace } from '../../domain/applications/applications.store.js';
import {
  ApplicationKeysStore,
  type ApplicationKey,
} from '../../domain/applications/keys/application-keys.store.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { ApplicationKeyId } from '../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../domain/shared/page.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from './page-statement.js';
import { requireOwnedCapacity } from './require-owned-capacity.js';
import { detailsOf, type ResourceRow } from './resource-row.js';
import { mapUniqueViolations, Sql } from './sql.js';

const COLUMNS = 'k.id, k.org_id, k.expires_at, k.sequence, k.created_at, k.changed_at';
const FROM = 'FROM application_keys k JOIN applications a ON a.org_id = k.org_id AND a.id = k.application_id';

const ADD = {
  name: 'application-keys-add',
  text: `
    INSERT INTO application_keys AS k (id, org_id, application_id, public_jwk, expires_at, created_at, changed_at)
    SELECT coalesce($5, new_id()), $1, $2, $3::jsonb, $4::timestamptz, now, now FROM (SELECT app_now() AS now) AS moment
    RETURNING ${COLUMNS}`,
};

const FIND = {
  name: 'application-keys-find',
  text: `SELECT ${COLUMNS} ${FROM} WHERE a.org_id = $1 AND a.project_id = $2 AND a.id = $3 AND k.id = $4`,
};

const LIST = pageStatement('application-keys-list', {
  select: `SELECT ${COLUMNS}, NULL::text AS name ${FROM} WHERE a.org_id = $7 AND a.project_id = $8 AND a.id = $9`,
});

const REMOVE = {
  name: 'application-keys-remove',
  text: `
    WITH removed AS (
      DELETE FROM application_keys k USING applications a
      WHERE a.org_id = k.org_id AND a.id = k.application_id
        AND a.org_id = $1 AND a.project_id = $2 AND a.id = $3 AND k.id = $4
      RETURNING k.org_id, k.application_id, k.sequence + 1 AS sequence, k.created_at
    ), ended AS (
      UPDATE applications a SET token_epoch = a.token_epoch + 1 FROM removed r
      WHERE a.org_id = r.org_id AND a.id = r.application_id
    )
    SELECT org_id, sequence, created_at, app_now() AS changed_at FROM removed`,
};

type KeyRow = ResourceRow & { id: ApplicationKeyId; expires_at: Date };

function toKey(row: KeyRow): ApplicationKey {
  return { id: row.id, expiresAt: row.expires_at, details: detailsOf(row) };
}

function placeValues({ orgId, projectId, id }: ApplicationPlace): readonly string[] {
  return [orgId, projectId, id];
}

@Injectable()
export class PgApplicationKeysStore extends ApplicationKeysStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(
    tx: Tx,
    { orgId, id }: ApplicationPlace,
    publicJwk: JWK,
    expiresAt: Date,
    keyId?: ApplicationKeyId,
  ): Promise<ApplicationKey> {
    await requireOwnedCapacity(this.sql, tx, 'application_keys', orgId, id);
    const values = [orgId, id, JSON.stringify(publicJwk), expiresAt, keyId ?? null];
    const row = await mapUniqueViolations(this.sql.row<KeyRow>(ADD, values, tx), {
      application_keys_pkey: () => new ApiError('already-exists', 'Key already exists', 'V3-DKcYh'),
    });
    if (row === undefined) throw new Error('no key was added');
    return toKey(row);
  }

  override async find(place: ApplicationPlace, id: ApplicationKeyId): Promise<ApplicationKey | undefined> {
    const row = await this.sql.row<KeyRow>(FIND, [...placeValues(place), id]);
    return row && toKey(row);
  }

  override async list(place: ApplicationPlace, query: PageQuery): Promise<Page<ApplicationKey>> {
    const values = [...pageValues(query), ...placeValues(place)];
    return pageOf(await this.sql.rows<PageRow<KeyRow>>(LIST, values), toKey);
  }

  override async remove(
    tx: Tx,
    place: ApplicationPlace,
    id: ApplicationKeyId,
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(REMOVE, [...placeValues(place), id], tx);
    return row && detailsOf(row);
  }
}
