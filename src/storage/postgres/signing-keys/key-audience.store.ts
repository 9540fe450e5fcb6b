import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import {
  KeyAudienceStore,
  type AffectedApplication,
  type KeySetReader,
} from '../../../domain/signing-keys/key-audience.store.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { Sql } from '../sql.js';

const READERS = pageStatement('key-audience-readers', {
  select: `
    SELECT translate(encode(reader, 'base64'), '+/=', '-_') AS id, '' AS name, reads::text, created_at, last_read_at
    FROM key_set_readers`,
});
/** As many grants as are counted (key-chains.store.ts). */
const MOST_GRANTS = 100_000;
const AFFECTED = pageStatement('key-audience-affected', {
  select: `
    SELECT a.id, a.client_id, a.name, a.org_id, a.created_at, g.grants
    FROM (SELECT application_id, count(*)::int AS grants
          FROM (SELECT application_id FROM grants WHERE revoked_at IS NULL LIMIT ${MOST_GRANTS}) AS alive
          GROUP BY application_id) AS g
    JOIN applications a ON a.id = g.application_id`,
});

type ReaderRow = { id: string; reads: string; created_at: Date; last_read_at: Date };
type AffectedRow = { id: string; client_id: string; name: string; org_id: string; grants: number };

@Injectable()
export class PgKeyAudienceStore extends KeyAudienceStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async readers(query: PageQuery): Promise<Page<KeySetReader>> {
    const rows = await this.sql.rows<PageRow<ReaderRow>>(READERS, pageValues(query));
    return pageOf(rows, ({ id, reads, created_at: firstReadAt, last_read_at: lastReadAt }) => ({
      id,
      reads,
      firstReadAt,
      lastReadAt,
    }));
  }

  override async affected(query: PageQuery): Promise<Page<AffectedApplication>> {
    const rows = await this.sql.rows<PageRow<AffectedRow>>(AFFECTED, pageValues(query));
    return pageOf(rows, ({ id, client_id: clientId, name, org_id: orgId, grants }) => ({
      id,
      clientId,
      name,
      orgId,
      grants,
    }));
  }
}
