import { Injectable } from '@nestjs/common';
import {
  type ClaimedNotification,
  type ClaimResult,
  type NewNotification,
  type NotificationChannel,
  NotificationsStore,
  type NotificationTemplate,
} from '../../domain/notifications/notifications.store.js';
import type { OrganizationLook } from '../../domain/orgs/organization-look.js';
import { SealBroken } from '../../domain/secrets/envelope.js';
import { Sealer, type SealedPlace } from '../../domain/secrets/sealer.js';
import type { NotificationId, OrgId, RegistrationId, UserId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { LOOK_COLUMN, LOOK_JOIN } from './look-column.js';
import { Sql } from './sql.js';

const ADD = {
  name: 'notifications-add',
  text: `
    INSERT INTO notifications (id, org_id, user_id, channel, template, code_id, outbox_id, content_sealed, data_key_id,
                               state, expires_at, registration_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
};

/** Templates without a code. */
const NOTICES = `'password_changed', 'account_exists', 'email_changed'`;

const CLAIM = {
  name: 'notifications-claim',
  text: `
    WITH claimed AS (
      UPDATE notifications SET state = 'sending', fence = fence + 1, attempts = attempts + 1,
        claimed_until = app_now() + make_interval(secs => $3::float8 / 1000)
      WHERE id = $1 AND channel = ANY ($2)
        AND (state = 'pending' OR (state = 'sending' AND claimed_until < app_now()))
      RETURNING *
    )
    SELECT n.id, n.fence, n.attempts, n.last_error, n.hand_overs, n.outbox_id, n.channel, n.template, n.code_id, n.content_sealed,
      n.data_key_id, n.created_at, n.expires_at, coalesce(n.expires_at <= app_now(), false) AS expired, n.org_id,
      n.user_id, n.registration_id,
      coalesce(u.state IN ('initial', 'active'), true) AND o.state = 'active' AS user_active,
      CASE WHEN n.template IN (${NOTICES}) THEN false
           WHEN n.template = 'register' THEN r.ended_at IS NOT NULL OR r.code_id IS DISTINCT FROM n.code_id
           ELSE v.id IS NULL OR v.ended_at IS NOT NULL END AS code_ended,
      ${LOOK_COLUMN}, coalesce(h.display_name, '') AS display_name,
      coalesce(u.user_name || coalesce('@' || d.domain, ''), '') AS login_name,
      
      -- a code goes where it is bound to: that may be an address which waits for it beside the verified one
      coalesce(CASE WHEN v.purpose <> 'verify_phone' THEN v.target END, h.email, r.email, '') AS email, h.phone, coalesce(h.preferred_language, r.locale) AS preferred_language
    FROM claimed n
    LEFT JOIN users u ON u.org_id = n.org_id AND u.id = n.user_id
    LEFT JOIN registrations r ON r.id = n.registration_id
    JOIN organizations o ON o.id = n.org_id
    ${LOOK_JOIN}
    LEFT JOIN organization_domains d ON d.org_id = n.org_id AND d.is_primary
    LEFT JOIN user_humans h ON h.user_id = n.user_id
    LEFT JOIN verification_codes v ON v.id = n.code_id`,
};

const WHY_NOT_CLAIMED = {
  name: 'notifications-why-not-claimed',
  text: `
    SELECT state, channel, extract(epoch FROM claimed_until - app_now())::float8 * 1000 AS lapses_in_ms
    FROM notifications WHERE id = $1`,
};

const HAND_OVER = {
  name: 'notifications-hand-over',
  text: `
    UPDATE notifications SET hand_overs = hand_overs + 1 WHERE id = $1 AND fence = $2 AND state = 'sending'`,
};

const END = {
  name: 'notifications-end',
  text: `
    UPDATE notifications SET state = $3, last_error = $4, finished_at = app_now(), claimed_until = NULL,
      content_sealed = NULL, data_key_id = NULL
    WHERE id = $1 AND fence = $2 AND state = 'sending'`,
};

const RELEASE = {
  name: 'notifications-release',
  text: `
    UPDATE notifications SET state = 'pending', last_error = $3, hand_overs = $4, claimed_until = NULL
    WHERE id = $1 AND fence = $2 AND state = 'sending'`,
};

type ClaimedRow = {
  id: NotificationId;
  fence: string;
  attempts: number;
  last_error: string | null;
  hand_overs: number;
  outbox_id: string | null;
  channel: NotificationChannel;
  template: NotificationTemplate;
  code_id: string | null;
  content_sealed: Buffer | null;
  data_key_id: number | null;
  created_at: Date;
  expires_at: Date | null;
  expired: boolean;
  org_id: OrgId;
  user_id: UserId | null;
  registration_id: RegistrationId | null;
  user_active: boolean;
  code_ended: boolean;
  look: OrganizationLook;
  display_name: string;
  login_name: string;
  email: string;
  phone: string | null;
  preferred_language: string | null;
};

type UnclaimedRow = { state: string; channel: NotificationChannel; lapses_in_ms: number | null };

/** Where the content of a message is sealed for. */
export function notificationPlace(id: string): SealedPlace {
  return { purpose: 'notification-content', table: 'notifications', column: 'content_sealed', rowId: id };
}

@Injectable()
export class PgNotificationsStore extends NotificationsStore {
  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
  }

  override async add(tx: Tx, notification: NewNotification): Promise<void> {
    const { id, code } = notification;
    const content = code === null ? undefined : this.sealer.seal(notificationPlace(id), Buffer.from(code));
    await this.sql.change(
      ADD,
      [
        id,
        notification.orgId,
        notification.userId,
        notification.channel,
        notification.template,
        notification.codeId,
        notification.outboxId,
        content?.sealed ?? null,
        content?.dataKeyId ?? null,
        notification.state,
        notification.expiresAt,
        notification.registrationId ?? null,
      ],
      tx,
    );
  }

  override async claim(
    id: NotificationId,
    channels: readonly NotificationChannel[],
    holdMs: number,
  ): Promise<ClaimResult> {
    const row = await this.sql.row<ClaimedRow>(CLAIM, [id, channels, holdMs]);
    if (row === undefined) return await this.whyNotClaimed(id, channels);
    return { kind: 'claimed', notification: await this.toClaimed(row) };
  }

  override async markHandedOver(claim: ClaimedNotification): Promise<boolean> {
    return (await this.sql.change(HAND_OVER, [claim.id, claim.fence])) === 1;
  }

  override async markSent(tx: Tx, claim: ClaimedNotification): Promise<boolean> {
    return (await this.sql.change(END, [claim.id, claim.fence, 'sent', null], tx)) === 1;
  }

  override async markAbandoned(tx: Tx, claim: ClaimedNotification, reason: string): Promise<boolean> {
    return (await this.sql.change(END, [claim.id, claim.fence, 'abandoned', reason], tx)) === 1;
  }

  override async release(claim: ClaimedNotification, reason: string, handOvers: number): Promise<boolean> {
    return (await this.sql.change(RELEASE, [claim.id, claim.fence, reason, handOvers])) === 1;
  }

  private async whyNotClaimed(
    id: NotificationId,
    channels: readonly NotificationChannel[],
  ): Promise<ClaimResult> {
    const row = await this.sql.row<UnclaimedRow>(WHY_NOT_CLAIMED, [id]);
    if (row === undefined || row.state === 'sent' || row.state === 'abandoned') return { kind: 'finished' };
    if (row.state === 'waiting' || !channels.includes(row.channel)) return { kind: 'no-channel' };
    return { kind: 'busy', retryInMs: Math.max(0, Math.ceil(row.lapses_in_ms ?? 0)) };
  }

  private async toClaimed(row: ClaimedRow): Promise<ClaimedNotification> {
    return {
      id: row.id,
      fence: row.fence,
      attempts: row.attempts,
      lastError: row.last_error,
      handOvers: row.hand_overs,
      outboxId: row.outbox_id,
      channel: row.channel,
      template: row.template,
      codeId: row.code_id ?? '',
      code: await this.openCode(row),
      createdAt: row.created_at,
      expiresAt: row.expires_at ?? new Date(0),
      expired: row.expired,
      codeEnded: row.code_ended,
      orgId: row.org_id,
      userId: row.user_id,
      registrationId: row.registration_id,
      userActive: row.user_active,
      organization: row.look,
      displayName: row.display_name,
      loginName: row.login_name,
      email: row.email,
      phone: row.phone,
      preferredLanguage: row.preferred_language,
    };
  }

  /** An unreadable row is given up by the caller; an exception here would have it claimed again for ever. */
  private async openCode(row: ClaimedRow): Promise<string | undefined> {
    if (row.content_sealed === null || row.data_key_id === null) return undefined;
    try {
      const value = { dataKeyId: row.data_key_id, sealed: row.content_sealed };
      return (await this.sealer.open(notificationPlace(row.id), value)).toString();
    } catch (error) {
      if (error instanceof SealBroken) return undefined;
      throw error;
    }
  }
}
