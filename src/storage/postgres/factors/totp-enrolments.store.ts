// SQL by hand: an enrolment is taken and its seed stored by one conditional statement
import { Injectable } from '@nestjs/common';
import type { StoredTotp } from '../../../domain/factors/factors.store.js';
import { TotpEnrolmentsStore, type EnrollingUser } from '../../../domain/factors/totp-enrolments.store.js';
import { readTotpSeed, writeTotpSeed, type TotpSeed } from '../../../domain/factors/totp-seed.js';
import { Sealer, type SealedPlace } from '../../../domain/secrets/sealer.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import { totpPlace } from '../users/user-rows.js';

const BEGIN = {
  name: 'totp-enrolments-begin',
  text: `INSERT INTO totp_enrolments (user_id, org_id, bound_to, secret_sealed, data_key_id, expires_at)
         VALUES ($1, $2, $3, $4, $5, app_now() + make_interval(secs => $6))
         ON CONFLICT ON CONSTRAINT totp_enrolments_pkey DO UPDATE SET bound_to = excluded.bound_to,
           secret_sealed = excluded.secret_sealed, data_key_id = excluded.data_key_id, expires_at = excluded.expires_at`,
};
const FIND = {
  name: 'totp-enrolments-find',
  text: `SELECT secret_sealed AS sealed, data_key_id AS "dataKeyId" FROM totp_enrolments
         WHERE user_id = $1 AND bound_to = $2 AND expires_at > app_now()`,
};
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
const REMOVE = {
  name: 'totp-enrolments-remove',
  text: `WITH begun AS (DELETE FROM totp_enrolments WHERE org_id = $1 AND user_id = $2)
         DELETE FROM user_totp_secrets WHERE org_id = $1 AND user_id = $2`,
};

@Injectable()
export class PgTotpEnrolmentsStore extends TotpEnrolmentsStore {
  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
  }

  override async begin(
    { orgId, userId, session }: EnrollingUser,
    seed: TotpSeed,
    seconds: number,
  ): Promise<void> {
    const { sealed, dataKeyId } = this.sealer.seal(placeOf(userId), Buffer.from(writeTotpSeed(seed)));
    await this.sql.change(BEGIN, [userId, orgId, session, sealed, dataKeyId, seconds]);
  }

  override async find({ userId, session }: EnrollingUser): Promise<StoredTotp | undefined> {
    const row = await this.sql.row<{ sealed: Buffer; dataKeyId: number }>(FIND, [userId, session]);
    if (row === undefined) return undefined;
    const seed = readTotpSeed((await this.sealer.open(placeOf(userId), row)).toString());
    return seed && { seed, mark: row.sealed };
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
    return (await this.sql.change(REMOVE, [orgId, userId], tx)) === 1;
  }
}

function placeOf(userId: UserId): SealedPlace {
  return { purpose: 'totp-enrolment', table: 'totp_enrolments', column: 'secret_sealed', rowId: userId };
}
