// SQL by hand: what is good once is used up by one conditional statement; what counts, and for whom, follows from many tables
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import {
  FactorsStore,
  HOURS_AFTER_RESET,
  type AddedFactor,
  type ImportedFactors,
  type StoredTotp,
  type UsableFactors,
} from '../../../domain/factors/factors.store.js';
import { importedHash } from '../../../domain/factors/recovery-codes/recovery-code-hash.js';
import { readTotpSeed } from '../../../domain/factors/totp/totp-seed.js';
import { OWNERS_GRACE_DAYS, type CodeFactorKind } from '../../../domain/policies/factor-policy.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { OrgId, SessionId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { factorKindsOf, factorLevelOf, trustedBrowserDaysOf } from '../policies/factor-level.js';
import { Sql } from '../sql.js';
import { pick, Table } from '../table.js';
import { PasskeyEntity } from '../tables/passkey.entity.js';
import { TotpEnrolmentEntity } from '../tables/totp-enrolment.entity.js';
import { UserCodeFactorEntity } from '../tables/user-code-factor.entity.js';
import { UserRecoveryCodeEntity } from '../tables/user-recovery-code.entity.js';
import { UserTotpSecretEntity } from '../tables/user-totp-secret.entity.js';
import { totpPlace } from '../users/user-rows.js';
import { isWithinGrace, lacksRequiredFactor } from './required-factors.js';
import { hasUsableFactor, HELD } from './usable-factors.js';

const FIND_USABLE = {
  name: 'factors-find-usable',
  text: `SELECT ${HELD.totp('u.id')} AS totp, ${HELD.email('u.id')} AS email, ${HELD.sms('u.id')} AS sms,
                EXISTS (SELECT FROM user_passwords p WHERE p.user_id = u.id
                  AND p.reset_by_email_at > app_now() - interval '${HOURS_AFTER_RESET} hours') AS "passwordResetByEmail",
                (SELECT count(*)::int FROM passkeys WHERE user_id = u.id) AS passkeys,
                (SELECT count(*)::int FROM user_recovery_codes WHERE user_id = u.id AND used_at IS NULL) AS "recoveryCodes",
                ${factorLevelOf('u.id', 'u.org_id')} > 0 AS offered, ${factorKindsOf('u.id', 'u.org_id')} AS kinds,
                ${trustedBrowserDaysOf('u.id', 'u.org_id')} AS "trustedBrowserDays"
         FROM users u WHERE u.id = $1`,
};
const TAKE_TOTP_STEP = {
  name: 'factors-take-totp-step',
  text: `UPDATE user_totp_secrets SET last_step = $3
         WHERE user_id = $1 AND secret_sealed = $2 AND (last_step IS NULL OR last_step < $3)`,
};
const TAKE_RECOVERY_CODE = {
  name: 'factors-take-recovery-code',
  text: `WITH taken AS (
           UPDATE user_recovery_codes SET used_at = app_now()
           WHERE user_id = $1 AND hash = $2 AND used_at IS NULL RETURNING 1
         )
         SELECT (SELECT count(*)::int FROM user_recovery_codes
                 WHERE user_id = $1 AND hash <> $2 AND used_at IS NULL) AS "left"
         FROM taken`,
};

const REPLACE_RECOVERY_CODES = {
  name: 'factors-replace-recovery-codes',
  text: `WITH whose AS (
           SELECT u.id, u.org_id FROM users u WHERE u.org_id = $1 AND u.id = $2 AND ${hasUsableFactor('u.id')}
         ), gone AS (
           DELETE FROM user_recovery_codes c USING whose WHERE c.user_id = whose.id
         )
         INSERT INTO user_recovery_codes (user_id, org_id, hash)
         SELECT whose.id, whose.org_id, hash FROM whose, unnest($3::text[]) AS hash`,
};
const DROP_IDLE_RECOVERY_CODES = {
  name: 'factors-drop-idle-recovery-codes',
  text: `DELETE FROM user_recovery_codes c WHERE c.user_id = $1 AND NOT ${hasUsableFactor('c.user_id')}`,
};

const OFFER_REQUIRED = {
  name: 'factors-offer-required',
  text: `
    WITH offered AS (
      UPDATE users u SET factors_offered_at = coalesce(u.factors_offered_at, app_now()) WHERE u.id = $1
      RETURNING u.id, u.org_id, u.factors_offered_at + interval '${OWNERS_GRACE_DAYS} days' AS until
    )
    SELECT CASE WHEN ${factorLevelOf('o.id', 'o.org_id')} = 2 AND o.until > app_now() THEN o.until END AS until
    FROM offered o`,
};
const POSTPONE_REQUIRED = {
  name: 'factors-postpone-required',
  text: `UPDATE sessions s SET factors_postponed = true
         WHERE s.id = $1 AND s.ended_at IS NULL AND ${isWithinGrace('s.user_id')}
           AND ${factorLevelOf('s.user_id', 's.org_id')} = 2`,
};
const LACKS_REQUIRED = {
  name: 'factors-lacks-required',
  text: `SELECT ${lacksRequiredFactor('u.id', 'u.org_id')} AS missing FROM users u WHERE u.id = $1`,
};

const NOTHING: UsableFactors = {
  totp: false,
  passkeys: 0,
  email: false,
  sms: false,
  passwordResetByEmail: false,
  recoveryCodes: 0,
  offered: false,
  kinds: [],
  trustedBrowserDays: 0,
};

@Injectable()
export class PgFactorsStore extends FactorsStore {
  private readonly codeFactors: Table<UserCodeFactorEntity>;
  private readonly totpSecrets: Table<UserTotpSecretEntity>;
  private readonly enrolments: Table<TotpEnrolmentEntity>;
  private readonly recoveryCodes: Table<UserRecoveryCodeEntity>;
  private readonly passkeys: Table<PasskeyEntity>;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
    this.codeFactors = new Table(sql, UserCodeFactorEntity);
    this.totpSecrets = new Table(sql, UserTotpSecretEntity);
    this.enrolments = new Table(sql, TotpEnrolmentEntity);
    this.recoveryCodes = new Table(sql, UserRecoveryCodeEntity);
    this.passkeys = new Table(sql, PasskeyEntity);
  }

  override async addCodeFactor(tx: Tx, orgId: OrgId, userId: UserId, kind: CodeFactorKind): Promise<boolean> {
    return await this.codeFactors.addUnlessThere(tx, { orgId, userId, kind });
  }

  override async removeCodeFactor(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    kind: CodeFactorKind,
  ): Promise<boolean> {
    return (await this.codeFactors.remove(tx, { orgId, userId, kind })).length === 1;
  }

  override async findUsable(userId: UserId): Promise<UsableFactors> {
    const row = await this.sql.row<Pick<UsableFactors, keyof UsableFactors>>(FIND_USABLE, [userId]);
    return row ?? NOTHING;
  }

  override async listAdded(orgId: OrgId, userId: UserId): Promise<readonly AddedFactor[]> {
    const secret = await this.totpSecrets.find({ orgId, userId });
    const codes = await this.codeFactors.list({ orgId, userId }, {});
    const added = codes.map((row): AddedFactor => pick(row, ['kind', 'createdAt']));
    if (secret !== undefined) added.push({ kind: 'totp', createdAt: secret.createdAt });
    return added.toSorted(
      (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.kind < b.kind ? -1 : 1),
    );
  }

  override async removeAll(tx: Tx, orgId: OrgId, userId: UserId): Promise<boolean> {
    const of = { orgId, userId };
    await this.enrolments.removeAll(tx, of);
    const secrets = await this.totpSecrets.remove(tx, of);
    const codes = await this.recoveryCodes.remove(tx, of);
    const passkeys = await this.passkeys.remove(tx, of);
    const sent = await this.codeFactors.remove(tx, of);
    return secrets.length + codes.length + passkeys.length + sent.length > 0;
  }

  override async addImported(
    tx: Tx,
    { orgId, userId }: { readonly orgId: OrgId; readonly userId: UserId },
    { totpSecret, recoveryCodes, codeFactors }: ImportedFactors,
  ): Promise<void> {
    const of = { orgId, userId };
    if (totpSecret !== undefined) {
      const { sealed: secretSealed, dataKeyId } = this.sealer.seal(
        totpPlace(userId),
        Buffer.from(totpSecret),
      );
      await this.totpSecrets.add(tx, { ...of, secretSealed, dataKeyId });
    }
    const hashes = new Set(recoveryCodes.flatMap((code) => importedHash(this.sealer, userId, code) ?? []));
    await this.recoveryCodes.addAll(
      tx,
      [...hashes].map((hash) => ({ ...of, hash })),
    );
    await this.codeFactors.addAll(
      tx,
      codeFactors.map((kind) => ({ ...of, kind })),
    );
  }

  override async replaceRecoveryCodes(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    hashes: readonly string[],
  ): Promise<boolean> {
    return (await this.sql.change(REPLACE_RECOVERY_CODES, [orgId, userId, hashes], tx)) === hashes.length;
  }

  override async dropIdleRecoveryCodes(tx: Tx, userId: UserId): Promise<void> {
    await this.sql.change(DROP_IDLE_RECOVERY_CODES, [userId], tx);
  }

  override async findTotp(userId: UserId): Promise<StoredTotp | undefined> {
    const row = await this.totpSecrets.find({ userId });
    if (row === undefined) return undefined;
    const { secretSealed: sealed, dataKeyId } = row;
    const seed = readTotpSeed((await this.sealer.open(totpPlace(userId), { sealed, dataKeyId })).toString());
    return seed && { seed, mark: sealed };
  }

  override async takeTotpStep(tx: Tx, userId: UserId, mark: Buffer, step: number): Promise<boolean> {
    return (await this.sql.change(TAKE_TOTP_STEP, [userId, mark, step], tx)) === 1;
  }

  override async recoveryCodesOf(userId: UserId): Promise<readonly string[]> {
    const rows = await this.recoveryCodes.list({ userId, usedAt: IsNull() }, { hash: 'ASC' });
    return rows.map(({ hash }) => hash);
  }

  override async takeRecoveryCode(tx: Tx, userId: UserId, hash: string): Promise<number | undefined> {
    return (await this.sql.row<{ left: number }>(TAKE_RECOVERY_CODE, [userId, hash], tx))?.left;
  }

  override async offerRequired(userId: UserId): Promise<Date | undefined> {
    return (await this.sql.row<{ until: Date | null }>(OFFER_REQUIRED, [userId]))?.until ?? undefined;
  }

  override async postponeRequired(tx: Tx, sessionId: SessionId): Promise<boolean> {
    return (await this.sql.change(POSTPONE_REQUIRED, [sessionId], tx)) === 1;
  }

  override async lacksRequired(tx: Tx, userId: UserId): Promise<boolean> {
    return (await this.sql.row<{ missing: boolean }>(LACKS_REQUIRED, [userId], tx))?.missing === true;
  }
}
