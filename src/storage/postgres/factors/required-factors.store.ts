// SQL by hand: who must have a factor follows from five tables, and the days are counted by the database's clock
import { Injectable } from '@nestjs/common';
import { RequiredFactorsStore } from '../../../domain/factors/required-factors.store.js';
import { OWNERS_GRACE_DAYS } from '../../../domain/policies/factor-policy.js';
import type { SessionId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { factorLevelOf } from '../policies/factor-level.js';
import { Sql } from '../sql.js';
import { isWithinGrace, lacksRequiredFactor } from './required-factors.js';

const OFFER = {
  name: 'required-factors-offer',
  text: `
    WITH offered AS (
      UPDATE users u SET factors_offered_at = coalesce(u.factors_offered_at, app_now()) WHERE u.id = $1
      RETURNING u.id, u.org_id, u.factors_offered_at + interval '${OWNERS_GRACE_DAYS} days' AS until
    )
    SELECT CASE WHEN ${factorLevelOf('o.id', 'o.org_id')} = 2 AND o.until > app_now() THEN o.until END AS until
    FROM offered o`,
};
const POSTPONE = {
  name: 'required-factors-postpone',
  text: `UPDATE sessions s SET factors_postponed = true
         WHERE s.id = $1 AND s.ended_at IS NULL AND ${isWithinGrace('s.user_id')}
           AND ${factorLevelOf('s.user_id', 's.org_id')} = 2`,
};
const IS_MISSING = {
  name: 'required-factors-is-missing',
  text: `SELECT ${lacksRequiredFactor('u.id', 'u.org_id')} AS missing FROM users u WHERE u.id = $1`,
};

@Injectable()
export class PgRequiredFactorsStore extends RequiredFactorsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async offer(userId: UserId): Promise<Date | undefined> {
    return (await this.sql.row<{ until: Date | null }>(OFFER, [userId]))?.until ?? undefined;
  }

  override async postpone(tx: Tx, sessionId: SessionId): Promise<boolean> {
    return (await this.sql.change(POSTPONE, [sessionId], tx)) === 1;
  }

  override async isMissing(tx: Tx, userId: UserId): Promise<boolean> {
    return (await this.sql.row<{ missing: boolean }>(IS_MISSING, [userId], tx))?.missing === true;
  }
}
