import { Injectable } from '@nestjs/common';
import { KeySetReadersStore } from '../../../domain/signing-keys/key-set-readers.store.js';
import { Sql } from '../sql.js';

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

@Injectable()
export class PgKeySetReadersStore extends KeySetReadersStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async record(reads: ReadonlyMap<string, number>): Promise<void> {
    await this.sql.change(FORGET, []);
    const readers = [...reads.keys()].map((reader) => Buffer.from(reader, 'base64url'));
    await this.sql.change(RECORD, [readers, [...reads.values()]]);
  }
}
