import { Injectable } from '@nestjs/common';
import type { UserId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import {
  type NewPersonalAccessToken,
  PersonalAccessTokensStore,
} from '../../domain/users/personal-access-tokens.store.js';
import { Sql } from './sql.js';

const ADD = {
  name: 'personal-access-tokens-add',
  text: `
    INSERT INTO personal_access_tokens (org_id, user_id, token_hash, expires_at) VALUES ($1, $2, $3, $4)
    RETURNING id`,
};

const IS_LIVE = {
  name: 'personal-access-tokens-is-live',
  text: `
    SELECT EXISTS (SELECT FROM personal_access_tokens
                   WHERE user_id = $1 AND token_hash = $2 AND revoked_at IS NULL
                     AND (expires_at IS NULL OR expires_at > app_now())) AS live`,
};

@Injectable()
export class PgPersonalAccessTokensStore extends PersonalAccessTokensStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(tx: Tx, token: NewPersonalAccessToken): Promise<string> {
    const values = [token.orgId, token.userId, token.tokenHash, token.expiresAt];
    const row = await this.sql.row<{ id: string }>(ADD, values, tx);
    if (row === undefined) throw new Error('no personal access token was added');
    return row.id;
  }

  override async isLive(tx: Tx, userId: UserId, tokenHash: Buffer): Promise<boolean> {
    return (await this.sql.row<{ live: boolean }>(IS_LIVE, [userId, tokenHash], tx))?.live === true;
  }
}
