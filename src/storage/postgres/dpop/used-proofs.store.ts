// SQL by hand: whether a proof was used before is decided by the statement that remembers it
import { Injectable } from '@nestjs/common';
import { UsedProofsStore } from '../../../domain/dpop/used-proofs.store.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { sweepOf, SWEPT_EVERY } from '../sweep.js';

// A row that has expired and is still there stands for a proof that is dead.
const USE: Statement = {
  name: 'used-proofs-use',
  text: `
    INSERT INTO used_proofs AS u (hash, expires_at) VALUES ($1, app_now() + make_interval(secs => $2))
    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at WHERE u.expires_at <= app_now()`,
};
const IS_USED: Statement = {
  name: 'used-proofs-find',
  text: `SELECT 1 AS found FROM used_proofs WHERE hash = $1 AND expires_at > app_now()`,
};
const SWEEP = sweepOf('used_proofs');

@Injectable()
export class PgUsedProofsStore extends UsedProofsStore {
  private uses = 0;

  constructor(private readonly sql: Sql) {
    super();
  }

  /** Not on a pipelined connection: a statement that is sent twice would find the proof used. */
  override async use(hash: Buffer, forSeconds: number): Promise<boolean> {
    const isFirst = (await this.sql.change(USE, [hash, forSeconds])) > 0;
    this.uses += 1;
    if (this.uses % SWEPT_EVERY === 0) await this.sql.change(SWEEP, []);
    return isFirst;
  }

  override async isUsed(hash: Buffer): Promise<boolean> {
    return (await this.sql.pipelined<{ found: number }>(IS_USED, [hash])) !== undefined;
  }
}
