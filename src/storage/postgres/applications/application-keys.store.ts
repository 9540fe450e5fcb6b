// SQL by hand: a key is found by the project of its application, which its row does not name
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import type { ApplicationPlace } from '../../../domain/applications/applications.store.js';
import {
  ApplicationKeysStore,
  type ApplicationKey,
} from '../../../domain/applications/keys/application-keys.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { ApplicationKeyId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { requireOwnedCapacity } from '../require-owned-capacity.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { columns, COUNTED_BY, CountedTable, detailsOf, raised, Table } from '../table.js';
import { ApplicationKeyEntity } from '../tables/application-key.entity.js';
import { ApplicationEntity } from '../tables/application.entity.js';

const READ = ['id', 'expiresAt', ...COUNTED_BY] as const;
const SELECT = `
  SELECT ${columns(ApplicationKeyEntity, 'k', READ)}, k.created_at, NULL::text AS name FROM application_keys k
  JOIN applications a ON a.org_id = k.org_id AND a.id = k.application_id`;
const FIND = {
  name: 'application-keys-find',
  text: `${SELECT} WHERE a.org_id = $1 AND a.project_id = $2 AND a.id = $3 AND k.id = $4`,
};
const LIST = pageStatement('application-keys-list', {
  select: `${SELECT} WHERE a.org_id = $7 AND a.project_id = $8 AND a.id = $9`,
});

type KeyRow = Pick<ApplicationKeyEntity, (typeof READ)[number]>;

@Injectable()
export class PgApplicationKeysStore extends ApplicationKeysStore {
  private readonly rows: CountedTable<ApplicationKeyEntity>;
  private readonly applications: Table<ApplicationEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new CountedTable(sql, ApplicationKeyEntity);
    this.applications = new Table(sql, ApplicationEntity);
  }

  override async add(
    tx: Tx,
    { orgId, id: applicationId }: ApplicationPlace,
    publicJwk: JWK,
    expiresAt: Date,
    id?: ApplicationKeyId,
  ): Promise<ApplicationKey> {
    await requireOwnedCapacity(this.sql, tx, 'application_keys', orgId, applicationId);
    const values = { ...(id !== undefined && { id }), orgId, applicationId, publicJwk, expiresAt };
    const added = mapUniqueViolations(this.rows.add(tx, values), {
      application_keys_pkey: () => new ApiError('already-exists', 'Key already exists', 'V3-DKcYh'),
    });
    return keyOf(await added);
  }

  override async find(
    { orgId, projectId, id }: ApplicationPlace,
    keyId: ApplicationKeyId,
  ): Promise<ApplicationKey | undefined> {
    const row = await this.sql.row<KeyRow>(FIND, [orgId, projectId, id, keyId]);
    return row && keyOf(row);
  }

  override async list(
    { orgId, projectId, id }: ApplicationPlace,
    query: PageQuery,
  ): Promise<Page<ApplicationKey>> {
    const values = [...pageValues(query), orgId, projectId, id];
    return pageOf(await this.sql.rows<PageRow<KeyRow>>(LIST, values), keyOf);
  }

  override async remove(
    tx: Tx,
    { orgId, projectId, id: applicationId }: ApplicationPlace,
    id: ApplicationKeyId,
  ): Promise<ResourceDetails | undefined> {
    const place = { orgId, projectId, id: applicationId };
    // whoever removes it at the same time waits here: the epoch rises with whoever finds it
    if ((await this.applications.find(place, tx, 'lock')) === undefined) return undefined;
    const details = await this.rows.removeOne(tx, { orgId, applicationId, id });
    if (details !== undefined) {
      await this.applications.change(tx, place, { tokenEpoch: raised(ApplicationEntity, 'tokenEpoch') });
    }
    return details;
  }
}

function keyOf(row: KeyRow): ApplicationKey {
  return { id: row.id, expiresAt: row.expiresAt, details: detailsOf(row) };
}
