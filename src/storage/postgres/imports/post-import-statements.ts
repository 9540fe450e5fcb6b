// SQL by hand: the chunks of an import are locked one by one, and whoever requested this is checked as whoever requested the import
import { IsNull, Not, Or, type FindOptionsWhere } from 'typeorm';
import type { ImportChange, PostImportWork } from '../../../domain/imports/import-job.js';
import type { Statement } from '../statement.js';
import type { Changes } from '../table.js';
import type { ImportEntity } from '../tables/import.entity.js';
import { ELIGIBILITY_COLUMNS } from './import-rows.js';

interface PostImportStatements {
  /** When it may be asked for, beside the end of the job. */
  readonly begins: FindOptionsWhere<ImportEntity>;
  readonly begun: (change: ImportChange) => Changes<ImportEntity>;
  readonly running: FindOptionsWhere<ImportEntity>;
  readonly ended: Changes<ImportEntity>;
  readonly withdrawn: Changes<ImportEntity>;
  readonly next: Statement;
  readonly findEligibility: Statement;
}

/**
 * @param columns of the job: who asked for it, and with which token
 * @param todo of the chunks that it is still to be done for
 */
function statements(
  postImport: PostImportWork,
  [askedBy, tokenId, subjectEpoch]: readonly [string, string, string],
  todo: string,
): Pick<PostImportStatements, 'next' | 'findEligibility'> {
  return {
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
  undo: {
    begins: { undoState: IsNull(), notifyState: Or(IsNull(), Not('running')) },
    begun: ({ actorId, through, tokenId, subjectEpoch }) => ({
      undoState: 'running',
      undoneBy: actorId,
      undoneThrough: through,
      undoneTokenId: tokenId ?? null,
      undoneSubjectEpoch: subjectEpoch ?? null,
    }),
    running: { undoState: 'running' },
    ended: { undoState: 'done', state: 'undone' },
    withdrawn: { undoState: null },
    ...statements('undo', ['undone_by', 'undone_token_id', 'undone_subject_epoch'], 'removed IS NULL'),
  },
  notify: {
    begins: { notifyState: IsNull(), notify: 'deferred', undoState: IsNull() },
    begun: ({ actorId, through, tokenId, subjectEpoch }) => ({
      notifyState: 'running',
      notifiedBy: actorId,
      notifiedThrough: through,
      notifiedTokenId: tokenId ?? null,
      notifiedSubjectEpoch: subjectEpoch ?? null,
    }),
    running: { notifyState: 'running' },
    ended: { notifyState: 'done' },
    withdrawn: { notifyState: null },
    ...statements('notify', ['notified_by', 'notified_token_id', 'notified_subject_epoch'], 'NOT notified'),
  },
};
