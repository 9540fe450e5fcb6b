// SQL by hand: counts of many rows, and writing them by the set
import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import {
  KeyAudienceStore,
  type AffectedApplication,
  type KeySetReader,
} from '../../../domain/signing-keys/key-audience.store.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { Sql } from '../sql.js';
import { columns, pick } from '../table.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { KeySetReaderEntity } from '../tables/key-set-reader.entity.js';

const READERS = pageStatement('key-audience-readers', {
  select: `
    SELECT translate(encode(r.reader, 'base64'), '+/=', '-_') AS id, '' AS name, r.created_at,
      ${columns(KeySetReaderEntity, 'r', ['reads', 'createdAt', 'lastReadAt'])}
    FROM key_set_readers r`,
});
const MOST_READERS = 10_000;

// in one order, so that two replicas which write at once do not wait for each other in a circle
const RECORD = {
  name: 'key-set-readers-record',
  text: `
    INSERT INTO key_set_readers AS r (reader, reads)
    SELECT q.reader, q.reads FROM unnest($1::bytea[], $2::int[]) AS q(reader, reads)
    WHERE (SELECT count(*) FROM key_set_readers) < ${MOST_READERS}
      OR EXISTS (SELECT FROM key_set_readers k WHERE k.reader = q.reader)
    ORDER BY q.reader
    ON CONFLICT (reader) DO UPDATE SET reads = r.reads + EXCLUDED.reads, last_read_at = app_now()`,
};
const FORGET = {
  name: 'key-set-readers-forget',
  text: `
    DELETE FROM key_set_readers WHERE reader IN (
      SELECT reader FROM key_set_readers WHERE last_read_at < app_now() - interval '31 days'
      ORDER BY reader LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
};

/** As many grants as are counted (signing-keys.store.ts). */
const MOST_GRANTS = 100_000;
const AFFECTED = pageStatement('key-audience-affected', {
  select: `
    SELECT ${columns(ApplicationEntity, 'a', ['id', 'clientId', 'name', 'orgId'])}, a.created_at, g.grants
    FROM (SELECT application_id, count(*)::int AS grants
          FROM (SELECT application_id FROM authorizations WHERE revoked_at IS NULL LIMIT ${MOST_GRANTS}) AS alive
          GROUP BY application_id) AS g
    JOIN applications a ON a.id = g.application_id`,
});

type ReaderRow = Pick<KeySetReaderEntity, 'reads' | 'createdAt' | 'lastReadAt'> & { id: string };
type AffectedRow = Pick<ApplicationEntity, 'id' | 'clientId' | 'name' | 'orgId'> & { grants: number };

@Injectable()
export class PgKeyAudienceStore extends KeyAudienceStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async readers(query: PageQuery): Promise<Page<KeySetReader>> {
    const rows = await this.sql.rows<PageRow<ReaderRow>>(READERS, pageValues(query));
    return pageOf(rows, ({ id, reads, createdAt: firstReadAt, lastReadAt }) => ({
      id,
      reads,
      firstReadAt,
      lastReadAt,
    }));
  }

  override async affected(query: PageQuery): Promise<Page<AffectedApplication>> {
    const rows = await this.sql.rows<PageRow<AffectedRow>>(AFFECTED, pageValues(query));
    return pageOf(rows, (row) => pick(row, ['id', 'clientId', 'name', 'orgId', 'grants']));
  }

  override async record(reads: ReadonlyMap<string, number>): Promise<void> {
    await this.sql.change(FORGET, []);
    const readers = [...reads.keys()].map((reader) => Buffer.from(reader, 'base64url'));
    await this.sql.change(RECORD, [readers, [...reads.values()]]);
  }
}
