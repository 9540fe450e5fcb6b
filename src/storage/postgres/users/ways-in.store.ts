// SQL by hand: three ways in are asked for in one round trip, and an identity counts as it does at a sign-in
import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { WaysInStore } from '../../../domain/users/ways-in/ways-in.store.js';
import { lets } from '../identity-providers/identity-providers.store.js';
import { HAS_A_SAY } from '../identity-providers/user-identities.store.js';
import { Sql } from '../sql.js';

const HAS_ANY = {
  name: 'ways-in-has-any',
  text: `
    SELECT EXISTS (SELECT FROM user_passwords WHERE user_id = $1)
      OR EXISTS (SELECT FROM passkeys WHERE user_id = $1 AND passwordless)
      OR EXISTS (
        SELECT FROM user_identities i
        JOIN identity_providers p ON p.id = i.provider_id
        JOIN users u ON u.id = i.user_id
        LEFT JOIN login_policies l ON l.org_id = u.org_id AND l.is_set
        WHERE i.user_id = $1 AND ${HAS_A_SAY} AND ${lets('u.org_id', 'l')}) AS any`,
};

@Injectable()
export class PgWaysInStore extends WaysInStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async hasAny(tx: Tx, userId: UserId): Promise<boolean> {
    return (await this.sql.row<{ any: boolean }>(HAS_ANY, [userId], tx))?.any === true;
  }
}
