// SQL by hand: after a restore, whole tables are changed by one statement each, and no row is read
import { Injectable } from '@nestjs/common';
import { DELIVER_LOGOUT } from '../../../domain/logout/logout-notices.store.js';
import {
  RestoreStore,
  type DisabledOnRequest,
  type EndedByRestore,
  type HeldWork,
} from '../../../domain/maintenance/restore.store.js';
import { SEND_NOTIFICATION } from '../../../domain/notifications/enqueue-notification.js';
import { CODE_TEMPLATES } from '../../../domain/notifications/notification-template.js';
import { JOB_LANES, JOB_QUEUES } from '../../../domain/outbox/outbox.store.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { oneOf, rowsOf } from '../one-of.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { emptyMessages } from '../users/erase-users.js';

/**
 * A token is valid while its epoch equals the stored one. After the backup, the epoch may have been raised and tokens issued with the
 * new number, which would become valid again when the restored epoch reaches it. So it is raised further than that.
 */
const FURTHER_THAN_ANY_EPOCH = 1_000_000;

const WHY = `'restored'`;

const END_SESSIONS = {
  name: 'restore-end-sessions',
  text: `UPDATE sessions SET ended_at = app_now(), end_reason = ${WHY} WHERE ended_at IS NULL`,
};

const END_GRANTS = {
  name: 'restore-end-grants',
  text: `UPDATE authorizations SET revoked_at = app_now(), revoke_reason = ${WHY} WHERE revoked_at IS NULL`,
};

/** The epochs of organizations, which are added to those of their users and applications. */
const RAISE_EPOCHS = {
  name: 'restore-raise-epochs',
  text: `UPDATE organizations SET token_epoch = token_epoch + ${FURTHER_THAN_ANY_EPOCH}`,
};

/** Work requested with a token continues when an operator releases it, though the token has ended. */
const KEEP_WORK: readonly Statement[] = [
  keepWork('imports', 'subject_epoch', 'finished_at IS NULL'),
  keepWork('imports', 'undone_subject_epoch', `undo_state = 'running'`),
  keepWork('imports', 'notified_subject_epoch', `notify_state = 'running'`),
  keepWork('bulk_actions', 'subject_epoch', 'finished_at IS NULL'),
];

function keepWork(table: string, epoch: string, goesOn: string): Statement {
  return {
    name: `restore-keep-${table}-${epoch}`,
    text: `UPDATE ${table} SET ${epoch} = ${epoch} + ${FURTHER_THAN_ANY_EPOCH} WHERE ${epoch} IS NOT NULL AND ${goesOn}`,
  };
}

/** Tables of single-use values, unfinished sign-ins and requests, trusted browsers and idempotency keys. */
const FORGOTTEN = [
  'codes',
  'auth_requests',
  'pushed_requests',
  'verification_codes',
  'registrations',
  'device_authorizations',
  'passkey_challenges',
  'totp_enrolments',
  'trusted_browsers',
  'idempotency_keys',
  // with the restored row, DPoP proofs that were used after the backup would be accepted again
  'used_proofs_since',
] as const;

const FORGET: readonly Statement[] = FORGOTTEN.map((table) => ({
  name: `restore-forget-${table}`,
  text: `DELETE FROM ${table}`,
}));

/** Secrets of clients are replaced by random hashes, so that the clients still need one. */
const DISABLE: Readonly<Record<DisabledOnRequest, readonly Statement[]>> = {
  tokens: [
    {
      name: 'restore-revoke-personal-access-tokens',
      text: `UPDATE personal_access_tokens SET revoked_at = app_now(), changed_at = app_now(), sequence = sequence + 1
             WHERE revoked_at IS NULL`,
    },
    { name: 'restore-remove-scim-tokens', text: `DELETE FROM scim_tokens` },
    { name: 'restore-remove-initial-access-tokens', text: `DELETE FROM initial_access_tokens` },
    {
      name: 'restore-disable-registration-access-tokens',
      text: `UPDATE client_registrations SET token_hash = sha256(gen_random_uuid()::text::bytea)
             WHERE token_hash IS NOT NULL`,
    },
  ],
  secrets: [
    {
      name: 'restore-disable-client-secrets',
      text: `UPDATE applications SET client_secret_hash = sha256(gen_random_uuid()::text::bytea), changed_at = app_now(),
               sequence = sequence + 1
             WHERE client_secret_hash IS NOT NULL`,
    },
    {
      name: 'restore-disable-service-user-secrets',
      text: `UPDATE service_users SET secret_hash = NULL, secret_made_by = NULL WHERE secret_hash IS NOT NULL`,
    },
  ],
  keys: [
    { name: 'restore-remove-application-keys', text: `DELETE FROM application_keys` },
    { name: 'restore-remove-service-user-keys', text: `DELETE FROM service_user_keys` },
  ],
};

/** Later than any row is due otherwise. Not infinity, which PostgreSQL cannot subtract from a time. */
const FAR_AHEAD = `app_now() + interval '50 years'`;
const HELD = `o.available_at > ${FAR_AHEAD}`;

const HOLD = {
  name: 'restore-hold-outbox',
  text: `UPDATE outbox SET state = 'pending', epoch = epoch + 1, published_at = NULL,
           available_at = app_now() + interval '100 years'`,
};

/** Messages with codes that were deleted. */
const GIVE_UP_CODES = {
  name: 'restore-give-up-codes',
  text: emptyMessages(`template ${oneOf(CODE_TEMPLATES)} AND finished_at IS NULL`, WHY),
};

const GIVE_UP_MESSAGES = {
  name: 'restore-give-up-messages',
  text: emptyMessages(
    `id IN (SELECT o.payload ->> 'notificationId' FROM outbox o
            WHERE o.job_name = '${SEND_NOTIFICATION}' AND ${HELD})`,
    WHY,
  ),
};

const GIVE_UP_NOTICES = {
  name: 'restore-give-up-logout-notices',
  text: `UPDATE logout_notices SET state = 'abandoned', last_error = ${WHY}, finished_at = app_now(), claimed_until = NULL
         WHERE finished_at IS NULL AND id IN (
           SELECT o.payload ->> 'logoutNoticeId' FROM outbox o WHERE o.job_name = '${DELIVER_LOGOUT}' AND ${HELD})`,
};

/** Rows of messages and logout notices that are finished. */
const DROP_ENDED = {
  name: 'restore-drop-ended',
  text: `DELETE FROM outbox o WHERE ${HELD} AND o.job_name ${oneOf([SEND_NOTIFICATION, DELIVER_LOGOUT])}
           AND NOT EXISTS (SELECT FROM notifications n
                           WHERE n.id = o.payload ->> 'notificationId' AND n.finished_at IS NULL)
           AND NOT EXISTS (SELECT FROM logout_notices n
                           WHERE n.id = o.payload ->> 'logoutNoticeId' AND n.finished_at IS NULL)`,
};

const COUNT_HELD = {
  name: 'restore-count-held',
  text: `SELECT (count(*) FILTER (WHERE o.queue = 'notifications'))::integer AS messages,
           (count(*) FILTER (WHERE o.queue <> 'notifications'))::integer AS others
         FROM outbox o WHERE ${HELD}`,
};

/** By the index of pending rows, for each queue and lane; app_now() in a subquery, so that the index can be used. */
const IS_HOLDING = {
  name: 'restore-is-holding',
  text: `SELECT EXISTS (
           SELECT FROM (VALUES ${rowsOf(JOB_QUEUES)}) AS q (queue)
           CROSS JOIN (VALUES ${rowsOf(JOB_LANES)}) AS l (lane)
           WHERE EXISTS (SELECT FROM outbox o WHERE o.state = 'pending' AND o.queue = q.queue AND o.lane = l.lane
                           AND o.available_at > (SELECT ${FAR_AHEAD}))) AS holding`,
};

const RELEASE = {
  name: 'restore-release-outbox',
  text: `UPDATE outbox o SET available_at = app_now() WHERE ${HELD}`,
};

@Injectable()
export class PgRestoreStore extends RestoreStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async endAll(tx: Tx): Promise<EndedByRestore> {
    await this.sql.change(RAISE_EPOCHS, [], tx);
    for (const statement of KEEP_WORK) await this.sql.change(statement, [], tx);
    const sessions = await this.sql.change(END_SESSIONS, [], tx);
    const grants = await this.sql.change(END_GRANTS, [], tx);
    for (const statement of FORGET) await this.sql.change(statement, [], tx);
    return { sessions, grants };
  }

  override async disable(tx: Tx, what: DisabledOnRequest): Promise<number> {
    let disabled = 0;
    for (const statement of DISABLE[what]) disabled += await this.sql.change(statement, [], tx);
    return disabled;
  }

  override async holdWork(tx: Tx): Promise<void> {
    await this.sql.change(GIVE_UP_CODES, [], tx);
    await this.sql.change(HOLD, [], tx);
    await this.sql.change(DROP_ENDED, [], tx);
  }

  override async isHolding(): Promise<boolean> {
    return (await this.sql.row<{ holding: boolean }>(IS_HOLDING, []))?.holding === true;
  }

  override async countHeld(tx: Tx): Promise<HeldWork> {
    return (await this.sql.row<{ messages: number; others: number }>(COUNT_HELD, [], tx)) ?? NOTHING;
  }

  override async release(tx: Tx): Promise<HeldWork> {
    const held = await this.countHeld(tx);
    await this.sql.change(RELEASE, [], tx);
    return held;
  }

  override async discardMessages(tx: Tx): Promise<HeldWork> {
    const held = await this.countHeld(tx);
    await this.sql.change(GIVE_UP_MESSAGES, [], tx);
    await this.sql.change(GIVE_UP_NOTICES, [], tx);
    await this.sql.change(DROP_ENDED, [], tx);
    await this.sql.change(RELEASE, [], tx);
    return held;
  }
}

const NOTHING: HeldWork = { messages: 0, others: 0 };
