// SQL by hand: three ways in are asked for in one round trip, and an identity counts as it does at a sign-in
import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { WaysInStore, type AnyWayIn } from '../../../domain/users/ways-in/ways-in.store.js';
import { lets } from '../identity-providers/identity-providers.store.js';
import { HAS_A_SAY } from '../identity-providers/user-identities.store.js';
import { Sql } from '../sql.js';

const FIND_ANY = {
  name: 'ways-in-find-any',
  text: `
    SELECT mine.known OR coalesce(bool_or(lets_in), false) AS now,
      mine.known OR coalesce(bool_or(lets_in OR mine.owns) FILTER (WHERE lets_in IS NOT NULL), false) AS later
    FROM (
      SELECT EXISTS (SELECT FROM user_passwords WHERE user_id = $1)
        OR EXISTS (SELECT FROM passkeys WHERE user_id = $1 AND passwordless) AS known,
        EXISTS (SELECT FROM memberships WHERE user_id = $1 AND role IN ('IAM_OWNER', 'ORG_OWNER')) AS owns
    ) mine
    LEFT JOIN (
      SELECT coalesce(${lets('u.org_id', 'l')}, false) AS lets_in
      FROM user_identities i
      JOIN identity_providers p ON p.id = i.provider_id
      JOIN users u ON u.id = i.user_id
      LEFT JOIN login_policies l ON l.org_id = u.org_id AND l.is_set
      WHERE i.user_id = $1 AND ${HAS_A_SAY}
    ) elsewhere ON true
    GROUP BY mine.known, mine.owns`,
};

@Injectable()
export class PgWaysInStore extends WaysInStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async findAny(tx: Tx, userId: UserId): Promise<AnyWayIn> {
    const found = await this.sql.row<{ now: boolean; later: boolean }>(FIND_ANY, [userId], tx);
    if (found === undefined) throw new Error('an aggregate has one row');
    return found;
  }
}
