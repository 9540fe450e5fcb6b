// SQL by hand: whether a proof was used before is decided by the statement that remembers it
import { Injectable } from '@nestjs/common';
import { UsedProofsStore } from '../../../domain/dpop/used-proofs.store.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';

// Each removes two that have expired, so that the table is no larger than what two minutes bring, whether or not a worker runs.
// A row that has expired and is still there stands for a proof that is dead.
const USE: Statement = {
  name: 'used-proofs-use',
  text: `
    WITH over AS (
      DELETE FROM used_proofs WHERE hash IN (
        SELECT o.hash FROM used_proofs o WHERE o.expires_at <= (SELECT app_now()) AND o.hash <> $1
        LIMIT 2 FOR UPDATE SKIP LOCKED)
    )
    INSERT INTO used_proofs AS u (hash, expires_at) VALUES ($1, app_now() + make_interval(secs => $2))
    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at WHERE u.expires_at <= app_now()`,
};

@Injectable()
export class PgUsedProofsStore extends UsedProofsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  /** Not on a pipelined connection: a statement that is sent twice would find the proof used. */
  override async use(hash: Buffer, forSeconds: number): Promise<boolean> {
    return (await this.sql.change(USE, [hash, forSeconds])) > 0;
  }
}
