// SQL by hand: after a restore, messages and logout notices are given up by what the outbox still holds of them
import { Injectable } from '@nestjs/common';
import { IsNull, Not, Raw, type EntityManager, type ObjectLiteral, type ObjectType } from 'typeorm';
import { DELIVER_LOGOUT } from '../../../domain/logout/logout-notices.store.js';
import {
  RestoreStore,
  type DisabledOnRequest,
  type EndedByRestore,
  type WithheldWork,
} from '../../../domain/maintenance/restore.store.js';
import { SEND_NOTIFICATION } from '../../../domain/notifications/enqueue-notification.js';
import { CODE_TEMPLATES } from '../../../domain/notifications/notification-template.js';
import { JOB_LANES, JOB_QUEUES } from '../../../domain/outbox/outbox.store.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { oneOf, rowsOf } from '../one-of.js';
import { Query } from '../query.js';
import { Sql } from '../sql.js';
import { columnOf, COUNTED, Table } from '../table.js';
import { ApplicationKeyEntity } from '../tables/application-key.entity.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { AuthRequestEntity } from '../tables/auth-request.entity.js';
import { AuthorizationEntity } from '../tables/authorization.entity.js';
import { BulkActionEntity } from '../tables/bulk-action.entity.js';
import { ClientRegistrationEntity } from '../tables/client-registration.entity.js';
import { CodeEntity } from '../tables/code.entity.js';
import { DeviceAuthorizationEntity } from '../tables/device-authorization.entity.js';
import { IdempotencyKeyEntity } from '../tables/idempotency-key.entity.js';
import { ImportEntity } from '../tables/import.entity.js';
import { InitialAccessTokenEntity } from '../tables/initial-access-token.entity.js';
import { OrganizationEntity } from '../tables/organization.entity.js';
import { OutboxEntity } from '../tables/outbox.entity.js';
import { PasskeyChallengeEntity } from '../tables/passkey.entity.js';
import { PersonalAccessTokenEntity } from '../tables/personal-access-token.entity.js';
import { PushedRequestEntity } from '../tables/pushed-request.entity.js';
import { RegistrationEntity } from '../tables/registration.entity.js';
import { ScimTokenEntity } from '../tables/scim-token.entity.js';
import { ServiceUserKeyEntity } from '../tables/service-user-key.entity.js';
import { SessionEntity } from '../tables/session.entity.js';
import { TotpEnrolmentEntity } from '../tables/totp-enrolment.entity.js';
import { TrustedBrowserEntity } from '../tables/trusted-browser.entity.js';
import { UsedProofsSinceEntity } from '../tables/used-proofs-since.entity.js';
import { ServiceUserEntity } from '../tables/user.entity.js';
import { VerificationCodeEntity } from '../tables/verification-code.entity.js';
import { emptyMessages } from '../users/erase-users.js';

/**
 * A token is valid while its epoch equals the stored one. After the backup, the epoch may have been raised and tokens issued with the
 * new number, which would become valid again when the restored epoch reaches it. So it is raised further than that.
 */
const FURTHER_THAN_ANY_EPOCH = 1_000_000;

const REASON = 'restored';
const WHY = `'${REASON}'`;

/** Single-use values, unfinished sign-ins and requests, trusted browsers and idempotency keys. */
const FORGOTTEN = [
  CodeEntity,
  AuthRequestEntity,
  PushedRequestEntity,
  VerificationCodeEntity,
  RegistrationEntity,
  DeviceAuthorizationEntity,
  PasskeyChallengeEntity,
  TotpEnrolmentEntity,
  TrustedBrowserEntity,
  IdempotencyKeyEntity,
  // with the restored row, DPoP proofs that were used after the backup would be accepted again
  UsedProofsSinceEntity,
] as const;

const NOW = () => 'app_now()';
/** As a constant, so that the index of imports that are at work can be used. */
const RUNNING = Raw((column) => `${column} = 'running'`);

function further<Entity extends object>(
  entity: ObjectType<Entity>,
  epoch: keyof Entity & string,
): () => string {
  return () => `${columnOf(entity, epoch)} + ${FURTHER_THAN_ANY_EPOCH}`;
}

/** Secrets of clients are replaced by random hashes, so that the clients still need one. */
const RANDOM_HASH = () => 'sha256(CAST(CAST(gen_random_uuid() AS text) AS bytea))';

/** Later than any row is due otherwise. Not infinity, which PostgreSQL cannot subtract from a time. */
const FAR_AHEAD = `app_now() + interval '50 years'`;
const IS_FAR_AHEAD = (column: string) => `${column} > ${FAR_AHEAD}`;
const WITHHELD = IS_FAR_AHEAD('o.available_at');

/** Messages with codes that were deleted. */
const GIVE_UP_CODES = {
  name: 'restore-give-up-codes',
  text: emptyMessages(`template ${oneOf(CODE_TEMPLATES)} AND finished_at IS NULL`, WHY),
};

const GIVE_UP_MESSAGES = {
  name: 'restore-give-up-messages',
  text: emptyMessages(
    `id IN (SELECT o.payload ->> 'notificationId' FROM outbox o
            WHERE o.job_name = '${SEND_NOTIFICATION}' AND ${WITHHELD})`,
    WHY,
  ),
};

const GIVE_UP_NOTICES = {
  name: 'restore-give-up-logout-notices',
  text: `UPDATE logout_notices SET state = 'abandoned', last_error = ${WHY}, finished_at = app_now(), claimed_until = NULL
         WHERE finished_at IS NULL AND id IN (
           SELECT o.payload ->> 'logoutNoticeId' FROM outbox o WHERE o.job_name = '${DELIVER_LOGOUT}' AND ${WITHHELD})`,
};

/** Rows of messages and logout notices that are finished. */
const DROP_ENDED = {
  name: 'restore-drop-ended',
  text: `DELETE FROM outbox o WHERE ${WITHHELD} AND o.job_name ${oneOf([SEND_NOTIFICATION, DELIVER_LOGOUT])}
           AND NOT EXISTS (SELECT FROM notifications n
                           WHERE n.id = o.payload ->> 'notificationId' AND n.finished_at IS NULL)
           AND NOT EXISTS (SELECT FROM logout_notices n
                           WHERE n.id = o.payload ->> 'logoutNoticeId' AND n.finished_at IS NULL)`,
};

function countHeld(entities: EntityManager) {
  return entities
    .createQueryBuilder(OutboxEntity, 'o')
    .select(`(count(*) FILTER (WHERE o.queue = 'notifications'))::integer`, 'messages')
    .addSelect(`(count(*) FILTER (WHERE o.queue <> 'notifications'))::integer`, 'others')
    .where(WITHHELD);
}

/** By the index of pending rows, for each queue and lane; app_now() in a subquery, so that the index can be used. */
const IS_HOLDING = {
  name: 'restore-is-holding',
  text: `SELECT EXISTS (
           SELECT FROM (VALUES ${rowsOf(JOB_QUEUES)}) AS q (queue)
           CROSS JOIN (VALUES ${rowsOf(JOB_LANES)}) AS l (lane)
           WHERE EXISTS (SELECT FROM outbox o WHERE o.state = 'pending' AND o.queue = q.queue AND o.lane = l.lane
                           AND o.available_at > (SELECT ${FAR_AHEAD}))) AS holding`,
};

@Injectable()
export class PgRestoreStore extends RestoreStore {
  private readonly organizations: Table<OrganizationEntity>;
  private readonly imports: Table<ImportEntity>;
  private readonly bulkActions: Table<BulkActionEntity>;
  private readonly sessions: Table<SessionEntity>;
  private readonly authorizations: Table<AuthorizationEntity>;
  private readonly forgotten: readonly Table<ObjectLiteral>[];
  private readonly outbox: Table<OutboxEntity>;
  private readonly held: Query<WithheldWork, object>;
  private readonly disabling: Readonly<Record<DisabledOnRequest, readonly ((tx: Tx) => Promise<number>)[]>>;

  constructor(private readonly sql: Sql) {
    super();
    this.organizations = new Table(sql, OrganizationEntity);
    this.imports = new Table(sql, ImportEntity);
    this.bulkActions = new Table(sql, BulkActionEntity);
    this.sessions = new Table(sql, SessionEntity);
    this.authorizations = new Table(sql, AuthorizationEntity);
    this.forgotten = FORGOTTEN.map((entity) => new Table<ObjectLiteral>(sql, entity));
    this.outbox = new Table(sql, OutboxEntity);
    this.held = new Query(sql, 'restore-count-held', countHeld);
    this.disabling = disablingStatements(sql);
  }

  override async endAll(tx: Tx): Promise<EndedByRestore> {
    await this.organizations.changeEvery(tx, { tokenEpoch: further(OrganizationEntity, 'tokenEpoch') });
    await this.keepWork(tx);
    const sessions = await this.sessions.changeAll(
      tx,
      { endedAt: IsNull() },
      { endedAt: NOW, endReason: REASON },
    );
    const grants = await this.authorizations.changeAll(
      tx,
      { revokedAt: IsNull() },
      { revokedAt: NOW, revokeReason: REASON },
    );
    for (const table of this.forgotten) await table.removeEvery(tx);
    return { sessions, grants };
  }

  override async disable(tx: Tx, what: DisabledOnRequest): Promise<number> {
    let disabled = 0;
    for (const change of this.disabling[what]) disabled += await change(tx);
    return disabled;
  }

  override async holdWork(tx: Tx): Promise<void> {
    await this.sql.change(GIVE_UP_CODES, [], tx);
    await this.outbox.changeEvery(tx, {
      state: 'pending',
      epoch: () => 'epoch + 1',
      publishedAt: null,
      availableAt: () => `app_now() + interval '100 years'`,
    });
    await this.sql.change(DROP_ENDED, [], tx);
  }

  override async isHolding(): Promise<boolean> {
    return (await this.sql.row<{ holding: boolean }>(IS_HOLDING, []))?.holding === true;
  }

  override async countHeld(tx: Tx): Promise<WithheldWork> {
    return (await this.held.row({}, tx)) ?? NOTHING;
  }

  override async release(tx: Tx): Promise<WithheldWork> {
    const held = await this.countHeld(tx);
    await this.releaseHeld(tx);
    return held;
  }

  override async discardMessages(tx: Tx): Promise<WithheldWork> {
    const held = await this.countHeld(tx);
    await this.sql.change(GIVE_UP_MESSAGES, [], tx);
    await this.sql.change(GIVE_UP_NOTICES, [], tx);
    await this.sql.change(DROP_ENDED, [], tx);
    await this.releaseHeld(tx);
    return held;
  }

  /** Work requested with a token continues when an operator releases it, though the token has ended. */
  private async keepWork(tx: Tx): Promise<void> {
    const given = Not(IsNull());
    await this.imports.changeAll(
      tx,
      { subjectEpoch: given, finishedAt: IsNull() },
      { subjectEpoch: further(ImportEntity, 'subjectEpoch') },
    );
    await this.imports.changeAll(
      tx,
      { undoneSubjectEpoch: given, undoState: RUNNING },
      { undoneSubjectEpoch: further(ImportEntity, 'undoneSubjectEpoch') },
    );
    await this.imports.changeAll(
      tx,
      { notifiedSubjectEpoch: given, notifyState: RUNNING },
      { notifiedSubjectEpoch: further(ImportEntity, 'notifiedSubjectEpoch') },
    );
    await this.bulkActions.changeAll(
      tx,
      { subjectEpoch: given, finishedAt: IsNull() },
      { subjectEpoch: further(BulkActionEntity, 'subjectEpoch') },
    );
  }

  private async releaseHeld(tx: Tx): Promise<void> {
    await this.outbox.changeAll(tx, { availableAt: Raw(IS_FAR_AHEAD) }, { availableAt: NOW });
  }
}

function disablingStatements(
  sql: Sql,
): Readonly<Record<DisabledOnRequest, readonly ((tx: Tx) => Promise<number>)[]>> {
  const personalAccessTokens = new Table(sql, PersonalAccessTokenEntity);
  const scimTokens = new Table(sql, ScimTokenEntity);
  const initialAccessTokens = new Table(sql, InitialAccessTokenEntity);
  const registrations = new Table(sql, ClientRegistrationEntity);
  const applications = new Table(sql, ApplicationEntity);
  const serviceUsers = new Table(sql, ServiceUserEntity);
  const applicationKeys = new Table(sql, ApplicationKeyEntity);
  const serviceUserKeys = new Table(sql, ServiceUserKeyEntity);
  const given = Not(IsNull());
  return {
    tokens: [
      (tx) => personalAccessTokens.changeAll(tx, { revokedAt: IsNull() }, { revokedAt: NOW, ...COUNTED }),
      (tx) => scimTokens.removeEvery(tx),
      (tx) => initialAccessTokens.removeEvery(tx),
      (tx) => registrations.changeAll(tx, { tokenHash: given }, { tokenHash: RANDOM_HASH }),
    ],
    secrets: [
      (tx) =>
        applications.changeAll(
          tx,
          { clientSecretHash: given },
          { clientSecretHash: RANDOM_HASH, ...COUNTED },
        ),
      (tx) =>
        serviceUsers.changeAll(
          tx,
          { secretHash: given },
          { secretHash: null, secretMadeBy: null, secretMadeAt: null },
        ),
    ],
    keys: [(tx) => applicationKeys.removeEvery(tx), (tx) => serviceUserKeys.removeEvery(tx)],
  };
}

const NOTHING: WithheldWork = { messages: 0, others: 0 };
