// SQL by hand: work without a row in the outbox is found, locked and put there again in batches, by one statement for each kind
import { RUN_BULK_ACTION } from '../../../domain/bulk-actions/begin-bulk-action.js';
import {
  FOLLOW_IMPORT,
  NOTIFY_IMPORT_CHUNK,
  UNDO_IMPORT_CHUNK,
} from '../../../domain/imports/queue-imports.js';
import { DELIVER_LOGOUT } from '../../../domain/logout/logout-notices.store.js';
import { SEND_NOTIFICATION } from '../../../domain/notifications/enqueue-notification.js';
import { END_ORGANIZATION_SESSIONS } from '../../../domain/organizations/end-organization-sessions.js';
import { ERASE_ORGANIZATION } from '../../../domain/organizations/erase-organization.js';
import type { Statement } from '../statement.js';
import { SUBJECT_EPOCH } from '../tokens/epochs.js';

const NOW = '(SELECT app_now())';
/** Older than any transaction that may still be creating it. */
const YOUNG = `${NOW} - interval '10 minutes'`;

/** Messages refer to their row of the outbox: if it is gone while the message is unfinished, it is queued again. */
function enqueueAgain(table: string, jobName: string, idField: string, living: string): Statement {
  return {
    name: `upkeep-enqueue-${table}`,
    text: `
      WITH stuck AS MATERIALIZED (
        SELECT t.id FROM ${table} t
        WHERE ${living} AND t.created_at < ${YOUNG} AND (t.claimed_until IS NULL OR t.claimed_until < ${NOW})
          AND NOT EXISTS (SELECT FROM outbox o WHERE o.id = t.outbox_id)
        ORDER BY t.created_at LIMIT $1 FOR UPDATE SKIP LOCKED
      ), enqueued AS (
        INSERT INTO outbox (queue, job_name, payload, lane)
        SELECT 'notifications', '${jobName}', jsonb_build_object('${idField}', id), 'normal' FROM stuck
        RETURNING id, payload ->> '${idField}' AS of_id
      )
      UPDATE ${table} t SET outbox_id = enqueued.id FROM enqueued WHERE t.id = enqueued.of_id`,
  };
}

/** Work on one object that has no row in the outbox. For work in steps, the first step is queued, which finds out where to continue. */
function enqueueWork(
  name: string,
  {
    queue,
    jobName,
    payload,
    from,
    firstStep = payload,
  }: Readonly<Record<'queue' | 'jobName' | 'payload' | 'from', string>> & { readonly firstStep?: string },
): Statement {
  return {
    name: `upkeep-enqueue-${name}`,
    text: `
      WITH stuck AS MATERIALIZED (
        SELECT t.id FROM ${from}
          AND NOT EXISTS (SELECT FROM outbox o WHERE o.queue = '${queue}' AND o.state = 'pending'
                            AND o.job_name = '${jobName}' AND o.payload @> ${payload})
          AND NOT EXISTS (SELECT FROM outbox o WHERE o.queue = '${queue}' AND o.state = 'published'
                            AND o.job_name = '${jobName}' AND o.payload @> ${payload})
        LIMIT $1 FOR UPDATE SKIP LOCKED
      )
      INSERT INTO outbox (queue, job_name, payload, lane)
      SELECT '${queue}', '${jobName}', ${firstStep}, 'normal' FROM stuck t`,
  };
}

const NOT_FOUND_LIVING = `
  (o.job_name = '${SEND_NOTIFICATION}' AND NOT EXISTS (
     SELECT FROM notifications n WHERE n.id = o.payload ->> 'notificationId' AND n.finished_at IS NULL))
  OR (o.job_name = '${DELIVER_LOGOUT}' AND NOT EXISTS (
     SELECT FROM logout_notices n WHERE n.id = o.payload ->> 'logoutNoticeId' AND n.finished_at IS NULL))
  OR (o.job_name = '${RUN_BULK_ACTION}' AND NOT EXISTS (
     SELECT FROM bulk_actions b WHERE b.id = o.payload ->> 'bulkActionId' AND b.state = 'running'))
  OR (o.queue = 'imports' AND o.job_name <> '${RUN_BULK_ACTION}'
      AND NOT EXISTS (SELECT FROM imports j WHERE j.id = o.payload ->> 'jobId'))`;

export const SWEEPS: Readonly<Record<string, Statement>> = {
  notifications_enqueued_again: enqueueAgain(
    'notifications',
    SEND_NOTIFICATION,
    'notificationId',
    `t.state IN ('pending', 'sending', 'retrying')`,
  ),
  logout_notices_enqueued_again: enqueueAgain(
    'logout_notices',
    DELIVER_LOGOUT,
    'logoutNoticeId',
    't.finished_at IS NULL',
  ),
  // the job that follows an import requeues its chunks
  imports_enqueued_again: enqueueWork('imports', {
    queue: 'imports',
    jobName: FOLLOW_IMPORT,
    payload: `jsonb_build_object('jobId', t.id)`,
    from: `imports t WHERE t.state IN ('queued', 'running', 'paused', 'cancelling') AND t.changed_at < ${YOUNG}`,
  }),
  undone_imports_enqueued_again: enqueueWork('undone-imports', {
    queue: 'imports',
    jobName: UNDO_IMPORT_CHUNK,
    payload: `jsonb_build_object('jobId', t.id)`,
    firstStep: `jsonb_build_object('jobId', t.id, 'number', 0)`,
    from: `imports t WHERE t.undo_state = 'running' AND t.changed_at < ${YOUNG}`,
  }),
  imports_to_notify_enqueued_again: enqueueWork('notified-imports', {
    queue: 'imports',
    jobName: NOTIFY_IMPORT_CHUNK,
    payload: `jsonb_build_object('jobId', t.id)`,
    firstStep: `jsonb_build_object('jobId', t.id, 'number', 0)`,
    from: `imports t WHERE t.notify_state = 'running' AND t.changed_at < ${YOUNG}`,
  }),
  bulk_actions_enqueued_again: enqueueWork('bulk-actions', {
    queue: 'imports',
    jobName: RUN_BULK_ACTION,
    payload: `jsonb_build_object('bulkActionId', t.id)`,
    // others of the organization wait for it
    from: `bulk_actions t WHERE t.state = 'running' AND t.changed_at < ${YOUNG}
          AND NOT EXISTS (SELECT FROM bulk_actions b WHERE b.org_id = t.org_id AND b.state = 'running'
                            AND b.finished_at IS NULL AND (b.created_at, b.id) < (t.created_at, t.id))`,
  }),
  removed_organizations_enqueued_again: enqueueWork('removed-organizations', {
    queue: 'maintenance',
    jobName: ERASE_ORGANIZATION,
    payload: `jsonb_build_object('orgId', t.id)`,
    from: `organizations t WHERE t.state = 'removed' AND t.erased_at IS NULL AND t.changed_at < ${YOUNG}`,
  }),
  // only for some days: later, remaining sessions end by their age
  sessions_of_organizations_enqueued_again: enqueueWork('organization-sessions', {
    queue: 'maintenance',
    jobName: END_ORGANIZATION_SESSIONS,
    payload: `jsonb_build_object('orgId', t.id)`,
    from: `
      organizations t WHERE t.state = 'inactive' AND t.changed_at < ${YOUNG} AND t.changed_at > ${NOW} - interval '7 days'
        AND EXISTS (SELECT FROM sessions s JOIN users u ON u.id = s.user_id JOIN organizations o ON o.id = u.org_id
                    WHERE s.org_id = t.id AND s.ended_at IS NULL AND s.subject_epoch < ${SUBJECT_EPOCH})`,
  }),
  // without this, a job that ends without deleting its row of the outbox would be published again and again
  finished_outbox_rows: {
    name: 'upkeep-forget-finished-outbox',
    text: `
      WITH settled AS MATERIALIZED (
        SELECT o.id FROM outbox o
        WHERE o.state = 'published' AND o.queue IN ('notifications', 'imports')
          AND o.published_at < ${NOW} - interval '1 hour' AND (${NOT_FOUND_LIVING})
        LIMIT $1 FOR UPDATE SKIP LOCKED
      )
      DELETE FROM outbox o USING settled WHERE o.id = settled.id`,
  },
};
