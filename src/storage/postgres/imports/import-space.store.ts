import { Injectable } from '@nestjs/common';
import { ImportSpaceStore, type ImportUsage } from '../../../domain/imports/import-space.store.js';
import type { ImportJobId, OrgId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';

const LOCK = { name: 'import-space-lock', text: `SELECT pg_advisory_xact_lock(hashtext('import space'))` };

// one whose receiver has died does not count as unfinished: it is given up within moments
const USAGE = {
  name: 'import-space-usage',
  text: `
    SELECT
      (SELECT coalesce(sum(bytes_held), 0)::float8 FROM imports WHERE org_id = $1 AND bytes_held > 0)
        AS organization_bytes,
      (SELECT coalesce(sum(bytes_held), 0)::float8 FROM imports WHERE bytes_held > 0) AS instance_bytes,
      (SELECT count(*)::int FROM imports
        WHERE org_id = $1 AND state IN ('reading', 'queued', 'running', 'paused', 'cancelling')
          AND (state <> 'reading' OR reading_until IS NULL OR reading_until > app_now())) AS unfinished`,
};

const RESERVE = {
  name: 'import-space-reserve',
  text: `UPDATE imports SET bytes_held = bytes_held + $2 WHERE id = $1 AND state = 'reading'`,
};

@Injectable()
export class PgImportSpaceStore extends ImportSpaceStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async lock(tx: Tx): Promise<void> {
    await this.sql.rows(LOCK, [], tx);
  }

  override async usage(tx: Tx, orgId: OrgId): Promise<ImportUsage> {
    type Row = { organization_bytes: number; instance_bytes: number; unfinished: number };
    const row = await this.sql.row<Row>(USAGE, [orgId], tx);
    if (row === undefined) throw new Error('a sum gives a row');
    return {
      organizationBytes: row.organization_bytes,
      instanceBytes: row.instance_bytes,
      unfinished: row.unfinished,
    };
  }

  override async reserve(tx: Tx, jobId: ImportJobId, bytes: number): Promise<boolean> {
    return (await this.sql.change(RESERVE, [jobId, bytes], tx)) === 1;
  }
}
