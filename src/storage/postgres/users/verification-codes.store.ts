// SQL by hand: codes are replaced and attempts counted by one conditional statement each
import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import { SMS_TEMPLATES } from '../../../domain/notifications/notification-template.js';
import type { OrganizationBranding } from '../../../domain/organizations/organization-branding.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { AuthRequestId, ProviderId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { USABLE_STATES } from '../../../domain/users/user.js';
import type {
  FactorCodePurpose,
  SmsPurpose,
  VerificationPurpose,
} from '../../../domain/users/verification/verification-code.js';
import {
  RESEND_COOLDOWN_MS,
  VerificationCodesStore,
  type CodeToEvaluate,
  type LiveCode,
  type NewVerificationCode,
  type VerificationLink,
} from '../../../domain/users/verification/verification-codes.store.js';
import { oneOf } from '../one-of.js';
import { BRANDING_COLUMN, BRANDING_JOIN } from '../policies/branding-column.js';
import { Query, selecting } from '../query.js';
import { mapUniqueViolations, Sql } from '../sql.js';
import { AHEAD, columns, Table } from '../table.js';
import { UserHumanEntity } from '../tables/user.entity.js';
import { VerificationCodeEntity } from '../tables/verification-code.entity.js';
import { written } from '../written.js';
import { withinCodeLimits } from './code-limits.js';
import { loginName, primaryDomainJoin } from './login-name.js';

/** Attempts per code, as in the check constraint of the table. */
const MOST_ATTEMPTS = 5;
/** Of these, attempts by somebody who only typed a name, as anybody can: some must be left for the link in the mail. */
const MOST_ATTEMPTS_BY_NAME = 3;

const REPLACED = written(
  VerificationCodeEntity,
  ['target', 'id', 'orgId', 'codeHash', 'flowId', 'providerId', 'provesAddress', 'madeBy'],
  4,
);
// counting the ended rows makes the insert wait for them: the partial unique index allows one live code
const REPLACE = {
  name: 'verification-codes-replace',
  text: `
    WITH ended AS (
      UPDATE verification_codes SET ended_at = app_now()
      WHERE user_id = $1 AND purpose = $2 AND ended_at IS NULL RETURNING id
    )
    INSERT INTO verification_codes (user_id, purpose, expires_at, ${REPLACED.columns})
    SELECT $1, $2, app_now() + make_interval(secs => $3::float8 / 1000), ${REPLACED.parameters}
    FROM (SELECT count(*) FROM ended) AS before
    RETURNING expires_at`,
};

// a concurrent request waits for the row lock, finds the code ended, and is stopped by the unique index of live codes. A code that
// an operator handed out (NOT proves_address) is not replaced by somebody who only typed the name. For a request without a source,
// by a user who is signed in, only other such requests count for the pause
const UNLESS_RECENT = written(
  VerificationCodeEntity,
  ['target', 'id', 'orgId', 'codeHash', 'flowId', 'source'],
  4,
);
const SOURCE = UNLESS_RECENT.parameterOf('source');
const REPLACE_UNLESS_RECENT = {
  name: 'verification-codes-replace-unless-recent',
  text: `
    WITH allowed AS MATERIALIZED (
      SELECT ${withinCodeLimits(SOURCE)}
        AND coalesce(max(created_at) FILTER (WHERE ${SOURCE}::bytea IS NOT NULL OR source IS NULL) <= app_now() - interval '${RESEND_COOLDOWN_MS} ms', true)
        AND NOT EXISTS (
          SELECT FROM verification_codes
          WHERE user_id = $1 AND purpose = $2 AND NOT proves_address AND ended_at IS NULL AND expires_at > app_now()
        ) AS yes
      FROM verification_codes
      WHERE user_id = $1 AND purpose = $2 AND target = $4 AND created_at > (SELECT app_now()) - interval '1 hour'
    ), ended AS (
      UPDATE verification_codes SET ended_at = app_now()
      WHERE user_id = $1 AND purpose = $2 AND ended_at IS NULL AND (SELECT yes FROM allowed) RETURNING id
    )
    INSERT INTO verification_codes (user_id, purpose, expires_at, ${UNLESS_RECENT.columns})
    SELECT $1, $2, app_now() + make_interval(secs => $3::float8 / 1000), ${UNLESS_RECENT.parameters}
    FROM allowed, (SELECT count(*) FROM ended) AS before WHERE allowed.yes
    ON CONFLICT (user_id, purpose) WHERE ended_at IS NULL DO NOTHING
    RETURNING expires_at`,
};

const FIND_LINK = {
  name: 'verification-codes-find-link',
  text: `
    SELECT ${columns(VerificationCodeEntity, 'v', ['purpose', 'orgId', 'userId', 'target'])},
      ${BRANDING_COLUMN}, h.display_name AS "displayName",
      ${loginName()} AS "loginName",
      CASE
        WHEN v.ended_at IS NOT NULL OR u.state NOT ${oneOf(USABLE_STATES)} OR o.state <> 'active'
          OR v.proves_address AND NOT coalesce(v.target IN (CASE WHEN v.purpose ${oneOf(SMS_TEMPLATES)} THEN h.phone ELSE h.email END,
            CASE v.purpose WHEN 'verify_email' THEN h.pending_email END), false) THEN 'ended'
        WHEN v.expires_at <= app_now() THEN 'expired'
        WHEN v.attempts >= ${MOST_ATTEMPTS} THEN 'burned'
        ELSE 'live' END AS state
    FROM verification_codes v
    JOIN users u ON u.org_id = v.org_id AND u.id = v.user_id
    JOIN user_humans h ON h.user_id = u.id
    JOIN organizations o ON o.id = v.org_id
    ${BRANDING_JOIN}
    ${primaryDomainJoin('v.org_id')}
    WHERE v.id = $1`,
};

const CODE_FIELDS = ['id', 'orgId', 'userId', 'purpose', 'target', 'provesAddress'] as const;
const ATTEMPTED = [...CODE_FIELDS, 'codeHash', 'providerId', 'flowId', 'madeBy'] as const;
const COUNT_ATTEMPT = `UPDATE verification_codes SET attempts = attempts + 1`;
const ATTEMPT_LEFT = `ended_at IS NULL AND expires_at > app_now() AND attempts < ${MOST_ATTEMPTS}
    RETURNING ${columns(VerificationCodeEntity, 'verification_codes', ATTEMPTED)}, ${MOST_ATTEMPTS} - attempts AS "attemptsLeft"`;

const TAKE_ATTEMPT = {
  name: 'verification-codes-take-attempt',
  text: `${COUNT_ATTEMPT} WHERE id = $1 AND purpose = $2 AND ${ATTEMPT_LEFT}`,
};

const TAKE_ATTEMPT_OF = {
  name: 'verification-codes-take-attempt-of',
  text: `${COUNT_ATTEMPT} WHERE user_id = $1 AND purpose = $2 AND attempts < ${MOST_ATTEMPTS_BY_NAME} AND ${ATTEMPT_LEFT}`,
};

const TAKE_OWN_ATTEMPT = {
  name: 'verification-codes-take-own-attempt',
  text: `${COUNT_ATTEMPT} WHERE user_id = $1 AND purpose = $2 AND ${ATTEMPT_LEFT}`,
};

const TAKE_FACTOR_ATTEMPT = {
  name: 'verification-codes-take-factor-attempt',
  text: `${COUNT_ATTEMPT} WHERE user_id = $1 AND purpose = $2 AND flow_id = $3 AND ${ATTEMPT_LEFT}`,
};

const GIVE_BACK_ATTEMPT = {
  name: 'verification-codes-give-back-attempt',
  text: `UPDATE verification_codes SET attempts = attempts - 1 WHERE id = $1 AND ended_at IS NULL AND attempts > 0`,
};

/** The code that a user may still type: of an address or a number that is theirs. */
function liveCodes(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(VerificationCodeEntity, 'c'), ['id', 'target', 'flowId'])
    .addSelect('extract(epoch FROM app_now() - c.createdAt)::float8', 'ageSeconds')
    .addSelect(`c.attempts < ${MOST_ATTEMPTS}`, 'usable')
    .innerJoin(UserHumanEntity, 'h', 'h.userId = c.userId AND c.target IN (h.email, h.pendingEmail, h.phone)')
    .where('c.userId = :userId AND c.purpose = :purpose AND c.endedAt IS NULL AND c.expiresAt > app_now()');
}

/** As REPLACE_UNLESS_RECENT counts them: also of codes that were used, replaced or have expired. */
function newestCode(entities: EntityManager) {
  return entities
    .createQueryBuilder(VerificationCodeEntity, 'c')
    .select('extract(epoch FROM app_now() - max(c.createdAt))::float8', 'ageSeconds')
    .where('c.userId = :userId AND c.purpose = :purpose AND c.target = :target');
}

type AttemptRow = Pick<CodeToEvaluate, (typeof CODE_FIELDS)[number] | 'attemptsLeft'> & {
  codeHash: Buffer | null;
  providerId: ProviderId | null;
  flowId: AuthRequestId | null;
  madeBy: UserId | '' | null;
};

type LiveRow = Omit<LiveCode, 'flowId'> & { flowId: AuthRequestId | null };
type LinkRow = Omit<VerificationLink, 'organization'> & { branding: OrganizationBranding };

@Injectable()
export class PgVerificationCodesStore extends VerificationCodesStore {
  private readonly rows: Table<VerificationCodeEntity>;
  private readonly live: Query<LiveRow, { userId: UserId; purpose: VerificationPurpose }>;

  private readonly newest: Query<
    { readonly ageSeconds: number | null },
    { userId: UserId; purpose: FactorCodePurpose; target: string }
  >;

  constructor(private readonly sql: Sql) {
    super();
    this.newest = new Query(sql, 'verification-codes-newest-age', newestCode);
    this.rows = new Table(sql, VerificationCodeEntity);
    this.live = new Query(sql, 'verification-codes-find-live', liveCodes);
  }

  override async replace(tx: Tx, code: NewVerificationCode): Promise<Date> {
    const row = await mapUniqueViolations(
      this.sql.row<{ expires_at: Date }>(
        REPLACE,
        [...keyOf(code), ...REPLACED.valuesOf({ provesAddress: true, ...code })],
        tx,
      ),
      {
        verification_codes_one_live: () =>
          new ApiError('aborted', 'another message to this user is being created', undefined, 1),
      },
    );
    if (row === undefined) throw new Error('no verification code was added');
    return row.expires_at;
  }

  override async replaceUnlessRecent(tx: Tx, code: NewVerificationCode): Promise<Date | undefined> {
    const values = [...keyOf(code), ...UNLESS_RECENT.valuesOf(code)];
    return (await this.sql.row<{ expires_at: Date }>(REPLACE_UNLESS_RECENT, values, tx))?.expires_at;
  }

  override async findLive(
    userId: UserId,
    purpose: 'verify_email' | SmsPurpose | FactorCodePurpose,
  ): Promise<LiveCode | undefined> {
    const row = await this.live.row({ userId, purpose });
    if (row === undefined) return undefined;
    const { flowId, ...code } = row;
    return { ...code, ...(flowId !== null && { flowId }) };
  }

  override async newestAge(
    userId: UserId,
    purpose: FactorCodePurpose,
    target: string,
  ): Promise<number | undefined> {
    return (await this.newest.row({ userId, purpose, target }))?.ageSeconds ?? undefined;
  }

  override async findLink(id: string): Promise<VerificationLink | undefined> {
    const row = await this.sql.row<LinkRow>(FIND_LINK, [id]);
    if (row === undefined) return undefined;
    const { branding: organization, ...link } = row;
    return { ...link, organization };
  }

  override async takeAttempt(id: string, purpose: VerificationPurpose): Promise<CodeToEvaluate | undefined> {
    const row = await this.sql.row<AttemptRow>(TAKE_ATTEMPT, [id, purpose]);
    return row && toEvaluate(row);
  }

  override async takeAttemptOf(
    userId: UserId,
    purpose: VerificationPurpose,
  ): Promise<CodeToEvaluate | undefined> {
    const row = await this.sql.row<AttemptRow>(TAKE_ATTEMPT_OF, [userId, purpose]);
    return row && toEvaluate(row);
  }

  override async takeOwnAttempt(
    userId: UserId,
    purpose: VerificationPurpose,
  ): Promise<CodeToEvaluate | undefined> {
    const row = await this.sql.row<AttemptRow>(TAKE_OWN_ATTEMPT, [userId, purpose]);
    return row && toEvaluate(row);
  }

  override async takeFactorAttempt(
    userId: UserId,
    purpose: FactorCodePurpose,
    flowId: AuthRequestId,
  ): Promise<CodeToEvaluate | undefined> {
    const row = await this.sql.row<AttemptRow>(TAKE_FACTOR_ATTEMPT, [userId, purpose, flowId]);
    return row && toEvaluate(row);
  }

  override async giveBackAttempt(id: string): Promise<void> {
    await this.sql.change(GIVE_BACK_ATTEMPT, [id]);
  }

  override async end(tx: Tx, id: string): Promise<boolean> {
    const live = { id, endedAt: IsNull(), expiresAt: AHEAD };
    return (await this.rows.changeAll(tx, live, { endedAt: () => 'app_now()' })) === 1;
  }

  override async endLive(tx: Tx, userId: UserId, purpose: VerificationPurpose): Promise<void> {
    const live = { userId, purpose, endedAt: IsNull() };
    await this.rows.changeAll(tx, live, { endedAt: () => 'app_now()' });
  }
}

function keyOf({ userId, purpose, lifetimeMs }: NewVerificationCode): readonly unknown[] {
  return [userId, purpose, lifetimeMs];
}

function toEvaluate({ codeHash, providerId, flowId, madeBy, ...row }: AttemptRow): CodeToEvaluate {
  return {
    ...row,
    codeHash: codeHash ?? undefined,
    ...(providerId !== null && { providerId }),
    ...(flowId !== null && { flowId }),
    ...(madeBy !== null && { madeBy }),
  };
}
