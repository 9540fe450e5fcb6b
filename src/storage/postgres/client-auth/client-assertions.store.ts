import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { ClientAssertionsStore } from '../../../domain/client-auth/client-assertions.store.js';
import { Sql } from '../sql.js';

const FIND_KEY = {
  name: 'client-assertions-find-key',
  text: `
    SELECT k.public_jwk
    FROM application_keys k
    JOIN applications a ON a.org_id = k.org_id AND a.id = k.application_id AND a.client_id = $1
    WHERE k.id = $2 AND k.expires_at > app_now()`,
};

// a row that has expired and was not cleared away yet stands for an assertion that is dead: its hash may come again
const USE = {
  name: 'client-assertions-use',
  text: `
    INSERT INTO used_assertions AS u (hash, expires_at) VALUES ($1, app_now() + make_interval(secs => $2))
    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at WHERE u.expires_at <= app_now()`,
};

@Injectable()
export class PgClientAssertionsStore extends ClientAssertionsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async findKey(clientId: string, keyId: string): Promise<JWK | undefined> {
    return (await this.sql.pipelined<{ public_jwk: JWK }>(FIND_KEY, [clientId, keyId]))?.public_jwk;
  }

  /** Not on a pipelined connection: a statement that is sent twice would find the assertion used. */
  override async use(hash: Buffer, forSeconds: number): Promise<boolean> {
    return (await this.sql.change(USE, [hash, forSeconds])) > 0;
  }
}
