// SQL by hand: the hash of an assertion is stored by one conditional INSERT, which stores nothing for a replay
import { Injectable } from '@nestjs/common';
import { UsedAssertionsStore } from '../../../domain/client-auth/used-assertions.store.js';
import { Sql } from '../sql.js';

// an expired row is of an assertion that is no longer valid: its hash may be used again
const USE = {
  name: 'client-assertions-use',
  text: `
    INSERT INTO used_assertions AS u (hash, expires_at) VALUES ($1, app_now() + make_interval(secs => $2))
    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at WHERE u.expires_at <= app_now()`,
};

@Injectable()
export class PgUsedAssertionsStore extends UsedAssertionsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  /** Not on a pipelined connection: a statement that is sent twice would find the assertion used. */
  override async use(hash: Buffer, forSeconds: number): Promise<boolean> {
    return (await this.sql.change(USE, [hash, forSeconds])) > 0;
  }
}
