// SQL by hand: three tables are asked in one round trip
import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { WaysInStore } from '../../../domain/users/ways-in.store.js';
import { Sql } from '../sql.js';

const HAS_ANY = {
  name: 'ways-in-has-any',
  text: `
    SELECT EXISTS (SELECT FROM user_passwords WHERE user_id = $1)
      OR EXISTS (SELECT FROM passkeys WHERE user_id = $1 AND passwordless)
      OR EXISTS (SELECT FROM user_identities WHERE user_id = $1) AS any`,
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
