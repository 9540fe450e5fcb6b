import { Injectable } from '@nestjs/common';
import type { ImportAsker } from '../../../domain/imports/import-eligibility.js';
import type { ImportChange, ImportJob } from '../../../domain/imports/import-job.js';
import {
  PostImportStore,
  type FinishedChunk,
  type PostImportWork,
} from '../../../domain/imports/post-import.store.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { ImportJobId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { changeImportJob } from './change-import-job.js';
import { ASKER_COLUMNS, chunkPlace, JOB_CHANGED, toEligibility, type EligibilityRow } from './import-rows.js';

interface PostImportStatements {
  readonly begin: Statement;
  readonly end: Statement;
  readonly withdraw: Statement;
  readonly next: Statement;
}

/**
 * @param columns of the job: how far it is, who asked for it, and through what
 * @param begins when it may be asked for, beside the end of the job
 * @param ends what else is said of the job then
 * @param todo of the chunks that it is still to be done for
 */
function statements(
  postImport: PostImportWork,
  {
    columns: [state, askedBy, askedThrough],
    begins,
    ends,
    todo,
  }: {
    readonly columns: readonly [string, string, string];
    readonly begins: string;
    readonly ends: string;
    readonly todo: string;
  },
): PostImportStatements {
  const leaves = (to: string): string =>
    `UPDATE imports SET ${to}, ${JOB_CHANGED} WHERE id = $1 AND ${state} = 'running' RETURNING org_id`;
  return {
    begin: {
      name: `post-import-begin-${postImport}`,
      text: `
        UPDATE imports SET ${state} = 'running', ${askedBy} = $3, ${askedThrough} = $4, ${JOB_CHANGED}
        WHERE org_id = $1 AND id = $2 AND state IN ('done', 'cancelled', 'failed') AND NOT dry_run
          AND ${state} IS NULL AND ${begins} RETURNING org_id`,
    },
    end: { name: `post-import-end-${postImport}`, text: leaves(`${state} = 'done'${ends}`) },
    withdraw: { name: `post-import-withdraw-${postImport}`, text: leaves(`${state} = NULL`) },
    next: {
      name: `post-import-next-${postImport}`,
      text: `
        SELECT number, results, data_key_id FROM import_chunks
        WHERE import_id = $1 AND state = 'done' AND ${todo}
        ORDER BY first_line, number LIMIT 1 FOR UPDATE`,
    },
  };
}

const STATEMENTS: Readonly<Record<PostImportWork, PostImportStatements>> = {
  undo: statements('undo', {
    columns: ['undo_state', 'undone_by', 'undone_through'],
    begins: `notify_state IS DISTINCT FROM 'running'`,
    ends: `, state = 'undone'`,
    todo: 'removed IS NULL',
  }),
  notify: statements('notify', {
    columns: ['notify_state', 'notified_by', 'notified_through'],
    begins: `notify = 'deferred' AND undo_state IS NULL`,
    ends: '',
    todo: 'NOT notified',
  }),
};

// an import that was stopped may have a chunk at work beside the one that stopped it: whoever is in the middle of
// writing it is waited for, and whoever is not writes nothing any more
const DROP_AT_WORK = {
  name: 'post-import-drop-at-work',
  text: `
    UPDATE import_chunks SET state = 'cancelled', payload = NULL, data_key_id = NULL, claimed_until = NULL,
      finished_at = app_now()
    WHERE import_id = $1 AND state = 'running'`,
};

const FIND_ASKER = {
  name: 'post-import-find-asker',
  text: `SELECT ${ASKER_COLUMNS} FROM imports j WHERE j.id = $1`,
};

const MARK_UNDONE = {
  name: 'post-import-mark-undone',
  text: `
    UPDATE import_chunks SET removed = $3, kept = $4, results = $5, data_key_id = $6, failed_payload = NULL
    WHERE import_id = $1 AND number = $2`,
};

const MARK_NOTIFIED = {
  name: 'post-import-mark-notified',
  text: `UPDATE import_chunks SET notified = true WHERE import_id = $1 AND number = $2`,
};

@Injectable()
export class PgPostImportStore extends PostImportStore {
  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
  }

  override async begin(
    tx: Tx,
    postImport: PostImportWork,
    { orgId, jobId, actorId, through }: ImportChange,
  ): Promise<ImportJob | undefined> {
    const job = await changeImportJob(this.sql, tx, jobId, STATEMENTS[postImport].begin, [
      orgId,
      jobId,
      actorId,
      through,
    ]);
    if (job !== undefined) await this.sql.change(DROP_AT_WORK, [jobId], tx);
    return job;
  }

  override async end(tx: Tx, postImport: PostImportWork, id: ImportJobId): Promise<ImportJob | undefined> {
    return await changeImportJob(this.sql, tx, id, STATEMENTS[postImport].end, [id]);
  }

  override async withdraw(
    tx: Tx,
    postImport: PostImportWork,
    id: ImportJobId,
  ): Promise<ImportJob | undefined> {
    return await changeImportJob(this.sql, tx, id, STATEMENTS[postImport].withdraw, [id]);
  }

  override async findAsker(id: ImportJobId, userId: UserId): Promise<ImportAsker | undefined> {
    const row = await this.sql.row<EligibilityRow & { caller_active: boolean }>(FIND_ASKER, [id, userId]);
    return row && { eligibility: toEligibility(row), callerActive: row.caller_active };
  }

  override async next(
    tx: Tx,
    postImport: PostImportWork,
    id: ImportJobId,
  ): Promise<FinishedChunk | undefined> {
    type Row = { number: number; results: Buffer; data_key_id: number };
    const row = await this.sql.row<Row>(STATEMENTS[postImport].next, [id], tx);
    if (row === undefined) return undefined;
    const value = { sealed: row.results, dataKeyId: row.data_key_id };
    return {
      number: row.number,
      outcomes: await this.sealer.open(chunkPlace('results', id, row.number), value),
    };
  }

  override async markUndone(
    tx: Tx,
    id: ImportJobId,
    { number, outcomes }: FinishedChunk,
    { removed, kept }: { readonly removed: number; readonly kept: number },
  ): Promise<void> {
    const { sealed, dataKeyId } = this.sealer.seal(chunkPlace('results', id, number), outcomes);
    await this.sql.change(MARK_UNDONE, [id, number, removed, kept, sealed, dataKeyId], tx);
  }

  override async markNotified(tx: Tx, id: ImportJobId, number: number): Promise<void> {
    await this.sql.change(MARK_NOTIFIED, [id, number], tx);
  }
}
