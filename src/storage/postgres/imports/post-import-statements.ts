// SQL by hand: notifying the users of an import, and undoing it, begin and end by conditional UPDATEs; chunks are locked one by one
import type { PostImportWork } from '../../../domain/imports/import-job.js';
import type { Statement } from '../statement.js';
import { ELIGIBILITY_COLUMNS, JOB_CHANGED } from './import-rows.js';

interface PostImportStatements {
  readonly begin: Statement;
  readonly end: Statement;
  readonly withdraw: Statement;
  readonly next: Statement;
  readonly findEligibility: Statement;
}

/**
 * @param columns of the job: how far it is, who asked for it, through what, and with which token
 * @param begins when it may be asked for, beside the end of the job
 * @param ends what else is said of the job then
 * @param todo of the chunks that it is still to be done for
 */
function statements(
  postImport: PostImportWork,
  {
    columns: [state, askedBy, askedThrough, tokenId, subjectEpoch],
    begins,
    ends,
    todo,
  }: {
    readonly columns: readonly [string, string, string, string, string];
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
        UPDATE imports SET ${state} = 'running', ${askedBy} = $3, ${askedThrough} = $4, ${tokenId} = $5,
          ${subjectEpoch} = $6, ${JOB_CHANGED}
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
    // the same checks, for the user who requested this instead of the one who imported
    findEligibility: {
      name: `post-import-find-eligibility-${postImport}`,
      text: `
        SELECT ${ELIGIBILITY_COLUMNS}
        FROM (SELECT id, org_id, coalesce(${askedBy}, created_by) AS created_by, ${tokenId} AS token_id,
                ${subjectEpoch} AS subject_epoch FROM imports) AS j
        WHERE j.id = $1`,
    },
  };
}

export const POST_IMPORT: Readonly<Record<PostImportWork, PostImportStatements>> = {
  undo: statements('undo', {
    columns: ['undo_state', 'undone_by', 'undone_through', 'undone_token_id', 'undone_subject_epoch'],
    begins: `notify_state IS DISTINCT FROM 'running'`,
    ends: `, state = 'undone'`,
    todo: 'removed IS NULL',
  }),
  notify: statements('notify', {
    columns: [
      'notify_state',
      'notified_by',
      'notified_through',
      'notified_token_id',
      'notified_subject_epoch',
    ],
    begins: `notify = 'deferred' AND undo_state IS NULL`,
    ends: '',
    todo: 'NOT notified',
  }),
};
