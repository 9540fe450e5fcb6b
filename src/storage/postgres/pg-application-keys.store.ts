import { Injectable } from '@nestjs/common';
import type { ClientAuthMethod } from '../../domain/clients/application.js';
import {
  type ApplicationKey,
  ApplicationKeysStore,
  type ApplicationPlace,
  type KeyedApplication,
  type KeyList,
  type KeyPage,
  type NewApplicationKey,
} from '../../domain/clients/keys/application-keys.store.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { ApplicationKeyId, ClientId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { detailsOf, type ResourceRow } from './resource-row.js';
import { Sql } from './sql.js';

const COLUMNS = 'k.id, k.org_id, k.expires_at, k.sequence, k.created_at, k.changed_at';
const PLACE = 'a.org_id = $1 AND a.project_id = $2 AND a.id = $3';
const FROM = `FROM application_keys k JOIN applications a ON a.org_id = k.org_id AND a.id = k.application_id`;

const FIND_APPLICATION = {
  name: 'application-keys-find-application',
  text: `SELECT a.client_id, a.auth_method FROM applications a WHERE ${PLACE}`,
};

const LOCK_APPLICATION = {
  name: 'application-keys-lock-application',
  text: `${FIND_APPLICATION.text} FOR KEY SHARE`,
};

const ADD = {
  name: 'application-keys-add',
  text: `
    INSERT INTO application_keys AS k (org_id, application_id, public_jwk, expires_at, created_at, changed_at)
    SELECT $1, $2, $3::jsonb, $4::timestamptz, now, now FROM (SELECT app_now() AS now) AS moment
    RETURNING ${COLUMNS}`,
};

const FIND = {
  name: 'application-keys-find',
  text: `SELECT ${COLUMNS} ${FROM} WHERE ${PLACE} AND k.id = $4`,
};

// ids grow with time, so that they give a place to keys of the same moment
const listIn = (direction: 'ASC' | 'DESC') => ({
  name: `application-keys-list-${direction.toLowerCase()}`,
  text: `
    SELECT ${COLUMNS} ${FROM} WHERE ${PLACE}
    ORDER BY k.created_at ${direction}, k.id ${direction} OFFSET $4 LIMIT $5`,
});
const LIST = { ascending: listIn('ASC'), descending: listIn('DESC') };

const COUNT = {
  name: 'application-keys-count',
  text: `SELECT count(*)::int AS total ${FROM} WHERE ${PLACE}`,
};

const REMOVE = {
  name: 'application-keys-remove',
  text: `
    WITH removed AS (
      DELETE FROM application_keys k USING applications a
      WHERE a.org_id = k.org_id AND a.id = k.application_id AND ${PLACE} AND k.id = $4
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

function placeValues({ orgId, projectId, applicationId }: ApplicationPlace): readonly string[] {
  return [orgId, projectId, applicationId];
}

@Injectable()
export class PgApplicationKeysStore extends ApplicationKeysStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async findApplication(place: ApplicationPlace, tx?: Tx): Promise<KeyedApplication | undefined> {
    type PlaceRow = { client_id: ClientId; auth_method: ClientAuthMethod };
    const statement = tx === undefined ? FIND_APPLICATION : LOCK_APPLICATION;
    const row = await this.sql.row<PlaceRow>(statement, placeValues(place), tx);
    return row && { clientId: row.client_id, authMethod: row.auth_method };
  }

  override async add(tx: Tx, key: NewApplicationKey): Promise<ApplicationKey> {
    const values = [key.orgId, key.applicationId, JSON.stringify(key.publicJwk), key.expiresAt];
    const row = await this.sql.row<KeyRow>(ADD, values, tx);
    if (row === undefined) throw new Error('no key was added');
    return toKey(row);
  }

  override async find(place: ApplicationPlace, id: ApplicationKeyId): Promise<ApplicationKey | undefined> {
    const row = await this.sql.row<KeyRow>(FIND, [...placeValues(place), id]);
    return row && toKey(row);
  }

  override async list(place: ApplicationPlace, page: KeyPage): Promise<KeyList> {
    const values = placeValues(place);
    const statement = page.ascending ? LIST.ascending : LIST.descending;
    const rows = await this.sql.rows<KeyRow>(statement, [...values, page.offset, page.limit]);
    const counted = await this.sql.row<{ total: number }>(COUNT, values);
    return { total: counted?.total ?? 0, keys: rows.map(toKey) };
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
