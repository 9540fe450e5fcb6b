// SQL by hand: an enrolment is taken and its seed stored by one conditional statement
import { Injectable } from '@nestjs/common';
import { Raw } from 'typeorm';
import type { StoredTotp } from '../../../domain/factors/factors.store.js';
import {
  TotpEnrolmentsStore,
  type EnrollingUser,
} from '../../../domain/factors/totp/totp-enrolments.store.js';
import { readTotpSeed, writeTotpSeed, type TotpSeed } from '../../../domain/factors/totp/totp-seed.js';
import { Sealer, type SealedPlace } from '../../../domain/secrets/sealer.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import { Table } from '../table.js';
import { TotpEnrolmentEntity } from '../tables/totp-enrolment.entity.js';
import { UserTotpSecretEntity } from '../tables/user-totp-secret.entity.js';
import { totpPlace } from '../users/user-rows.js';

const FINISH = {
  name: 'totp-enrolments-finish',
  text: `WITH taken AS (
           DELETE FROM totp_enrolments
           WHERE user_id = $1 AND bound_to = $2 AND secret_sealed = $3 AND expires_at > app_now()
           RETURNING user_id, org_id
         ), before AS (
           SELECT FROM user_totp_secrets WHERE user_id = $1
         ), stored AS (
           INSERT INTO user_totp_secrets (user_id, org_id, secret_sealed, data_key_id, last_step)
           SELECT user_id, org_id, $4, $5, $6 FROM taken
           ON CONFLICT ON CONSTRAINT user_totp_secrets_pkey DO UPDATE SET secret_sealed = excluded.secret_sealed,
             data_key_id = excluded.data_key_id, last_step = excluded.last_step, created_at = app_now()
           RETURNING 1
         )
         SELECT CASE WHEN EXISTS (SELECT FROM before) THEN 'replaced' ELSE 'added' END AS done FROM stored`,
};
@Injectable()
export class PgTotpEnrolmentsStore extends TotpEnrolmentsStore {
  private readonly rows: Table<TotpEnrolmentEntity>;
  private readonly secrets: Table<UserTotpSecretEntity>;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
    this.rows = new Table(sql, TotpEnrolmentEntity);
    this.secrets = new Table(sql, UserTotpSecretEntity);
  }

  override async begin(
    { orgId, userId, session }: EnrollingUser,
    seed: TotpSeed,
    seconds: number,
  ): Promise<void> {
    const { sealed, dataKeyId } = this.sealer.seal(placeOf(userId), Buffer.from(writeTotpSeed(seed)));
    const expiresAt = () => `app_now() + interval '${seconds} seconds'`;
    const begun = { orgId, boundTo: session, secretSealed: sealed, dataKeyId, expiresAt };
    await this.rows.put(undefined, { userId }, begun);
  }

  override async find({ userId, session }: EnrollingUser): Promise<StoredTotp | undefined> {
    const expiresAt = Raw((column) => `${column} > app_now()`);
    const row = await this.rows.find({ userId, boundTo: session, expiresAt });
    if (row === undefined) return undefined;
    const { secretSealed: sealed, dataKeyId } = row;
    const seed = readTotpSeed((await this.sealer.open(placeOf(userId), { sealed, dataKeyId })).toString());
    return seed && { seed, mark: sealed };
  }

  override async finish(
    tx: Tx,
    { userId, session }: EnrollingUser,
    { seed, mark }: StoredTotp,
    step: number,
  ): Promise<'added' | 'replaced' | undefined> {
    const { sealed, dataKeyId } = this.sealer.seal(totpPlace(userId), Buffer.from(writeTotpSeed(seed)));
    const values = [userId, session, mark, sealed, dataKeyId, step];
    return (await this.sql.row<{ done: 'added' | 'replaced' }>(FINISH, values, tx))?.done;
  }

  override async remove(tx: Tx, orgId: OrgId, userId: UserId): Promise<boolean> {
    await this.rows.removeAll(tx, { orgId, userId });
    return (await this.secrets.remove(tx, { orgId, userId })).length === 1;
  }
}

function placeOf(userId: UserId): SealedPlace {
  return { purpose: 'totp-enrolment', table: 'totp_enrolments', column: 'secret_sealed', rowId: userId };
}
