import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import {
  FactorsStore,
  type AddedFactor,
  type EnrollingUser,
  type ImportedFactors,
  type StoredTotp,
  type UsableFactors,
} from '../../../domain/factors/factors.store.js';
import { importedHash } from '../../../domain/factors/recovery-codes/recovery-code-hash.js';
import { readTotpSeed, writeTotpSeed, type TotpSeed } from '../../../domain/factors/totp/totp-seed.js';
import type { CodeFactorKind } from '../../../domain/policies/factor-policy.js';
import { Sealer, type SealedPlace } from '../../../domain/secrets/sealer.js';
import type { OrgId, SessionId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { openSecret, sealSecret } from '../secrets/secret-columns.js';
import { Sql } from '../sql.js';
import { AHEAD, pick, Table } from '../table.js';
import { PasskeyEntity } from '../tables/passkey.entity.js';
import { TotpEnrolmentEntity } from '../tables/totp-enrolment.entity.js';
import { UserCodeFactorEntity } from '../tables/user-code-factor.entity.js';
import { UserRecoveryCodeEntity } from '../tables/user-recovery-code.entity.js';
import { UserTotpSecretEntity } from '../tables/user-totp-secret.entity.js';
import { totpPlace } from '../users/user-rows.js';
import {
  DROP_IDLE_RECOVERY_CODES,
  FIND_USABLE,
  FINISH_TOTP,
  LACKS_REQUIRED,
  OFFER_REQUIRED,
  POSTPONE_REQUIRED,
  REPLACE_RECOVERY_CODES,
  TAKE_RECOVERY_CODE,
  TAKE_TOTP_STEP,
} from './factor-statements.js';

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

type SealedTotp = Pick<UserTotpSecretEntity, 'secretSealed' | 'dataKeyId'>;

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
    return (await this.codeFactors.removeAll(tx, { orgId, userId, kind })) === 1;
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
    const secrets = await this.totpSecrets.removeAll(tx, of);
    const codes = await this.recoveryCodes.removeAll(tx, of);
    const passkeys = await this.passkeys.removeAll(tx, of);
    const sent = await this.codeFactors.removeAll(tx, of);
    return secrets + codes + passkeys + sent > 0;
  }

  override async addImported(
    tx: Tx,
    { orgId, userId }: { readonly orgId: OrgId; readonly userId: UserId },
    { totpSecret, recoveryCodes, codeFactors }: ImportedFactors,
  ): Promise<void> {
    const of = { orgId, userId };
    if (totpSecret !== undefined) {
      await this.totpSecrets.add(tx, { ...of, ...sealSecret(this.sealer, totpPlace(userId), totpSecret) });
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
    return await this.openTotp(totpPlace(userId), await this.totpSecrets.find({ userId }));
  }

  override async takeTotpStep(tx: Tx, userId: UserId, mark: Buffer, step: number): Promise<boolean> {
    return (await this.sql.change(TAKE_TOTP_STEP, [userId, mark, step], tx)) === 1;
  }

  override async beginTotp(
    { orgId, userId, session }: EnrollingUser,
    seed: TotpSeed,
    seconds: number,
  ): Promise<void> {
    const sealed = sealSecret(this.sealer, enrolmentPlace(userId), writeTotpSeed(seed));
    const expiresAt = () => `app_now() + interval '${seconds} seconds'`;
    await this.enrolments.put(undefined, { userId }, { orgId, boundTo: session, ...sealed, expiresAt });
  }

  override async findBegunTotp({ userId, session }: EnrollingUser): Promise<StoredTotp | undefined> {
    const begun = await this.enrolments.find({ userId, boundTo: session, expiresAt: AHEAD });
    return await this.openTotp(enrolmentPlace(userId), begun);
  }

  override async finishTotp(
    tx: Tx,
    { userId, session }: EnrollingUser,
    { seed, mark }: StoredTotp,
    step: number,
  ): Promise<'added' | 'replaced' | undefined> {
    const { secretSealed, dataKeyId } = sealSecret(this.sealer, totpPlace(userId), writeTotpSeed(seed));
    const values = [userId, session, mark, secretSealed, dataKeyId, step];
    return (await this.sql.row<{ done: 'added' | 'replaced' }>(FINISH_TOTP, values, tx))?.done;
  }

  override async removeTotp(tx: Tx, orgId: OrgId, userId: UserId): Promise<boolean> {
    await this.enrolments.removeAll(tx, { orgId, userId });
    return (await this.totpSecrets.removeAll(tx, { orgId, userId })) === 1;
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

  private async openTotp(place: SealedPlace, row: SealedTotp | undefined): Promise<StoredTotp | undefined> {
    const secret = await openSecret(this.sealer, place, row);
    const seed = secret === undefined ? undefined : readTotpSeed(secret);
    return row && seed && { seed, mark: row.secretSealed };
  }
}

function enrolmentPlace(userId: UserId): SealedPlace {
  return { purpose: 'totp-enrolment', table: 'totp_enrolments', column: 'secret_sealed', rowId: userId };
}
