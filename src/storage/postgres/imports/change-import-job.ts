// SQL by hand: an import is read with the sums over its chunks
import type { ImportJob } from '../../../domain/imports/import-job.js';
import type { ImportJobId, OrgId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { JOB_COLUMNS, JOB_SUMS, toImportJob, type ImportJobRow } from './import-rows.js';

/** A statement for jobs as `toImportJob` reads them. */
export function selectImportJobs(name: string, where: string): Statement {
  return { name, text: `SELECT ${JOB_COLUMNS} FROM imports j ${JOB_SUMS} WHERE ${where}` };
}

const FIND = selectImportJobs('import-jobs-find', 'j.org_id = $1 AND j.id = $2');

export async function findImportJob(
  sql: Sql,
  orgId: OrgId,
  id: ImportJobId,
  tx?: Tx,
): Promise<ImportJob | undefined> {
  const row = await sql.row<ImportJobRow>(FIND, [orgId, id], tx);
  return row && toImportJob(row);
}

/** Runs a conditional change of one job, which returns its `org_id`, and reads it as it then is. */
export async function changeImportJob(
  sql: Sql,
  tx: Tx,
  id: ImportJobId,
  statement: Statement,
  values: readonly unknown[],
): Promise<ImportJob | undefined> {
  const row = await sql.row<{ org_id: OrgId }>(statement, values, tx);
  return row && (await findImportJob(sql, row.org_id, id, tx));
}
