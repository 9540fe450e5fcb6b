// SQL by hand: one INSERT stores a DPoP proof and tells whether it was used before
import { Injectable } from '@nestjs/common';
import { UsedProofsStore, type ProofToUse, type Remembered } from '../../../domain/dpop/used-proofs.store.js';
import { Sql } from '../sql.js';
import type { Row, Statement } from '../statement.js';
import { sweepOf, SWEPT_EVERY } from '../sweep.js';
import { Table } from '../table.js';
import { UsedProofsSinceEntity } from '../tables/used-proofs-since.entity.js';

/**
 * SQL: whether the stored proofs reach back far enough to decide about this one: its nonce names the current memory ($2), or that began
 * before the proof can have been used ($3).
 */
const COVERED = '(s.memory = $2::uuid) IS TRUE OR s.since <= to_timestamp($3)';
// An expired row is of a proof that is no longer valid, and is overwritten. If the table was emptied, used_proofs_since has no row.
const USE: Statement = {
  name: 'used-proofs-use',
  text: `
    INSERT INTO used_proofs AS u (hash, expires_at)
    SELECT $1, app_now() + make_interval(secs => $4) FROM used_proofs_since s WHERE ${COVERED}
    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at WHERE u.expires_at <= app_now()`,
};
const FIND: Statement = {
  name: 'used-proofs-find',
  text: `
    SELECT EXISTS (SELECT FROM used_proofs WHERE hash = $1 AND expires_at > app_now()) AS "isUsed",
      ${COVERED} AS "isCovered", s.memory
    FROM used_proofs_since s`,
};
const SWEEP = sweepOf('used_proofs');

@Injectable()
export class PgUsedProofsStore extends UsedProofsStore {
  private uses = 0;
  private readonly memories: Table<UsedProofsSinceEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.memories = new Table(sql, UsedProofsSinceEntity);
  }

  /** Not on a pipelined connection: a statement that is sent again would find the proof used. */
  override async use(proof: ProofToUse, forSeconds: number): Promise<boolean> {
    const isFirst = (await this.sql.change(USE, [...valuesOf(proof), forSeconds])) > 0;
    this.uses += 1;
    if (this.uses % SWEPT_EVERY === 0) await this.sql.change(SWEEP, []);
    return isFirst;
  }

  override async find(proof: ProofToUse): Promise<Remembered> {
    for (;;) {
      const found = await this.sql.pipelined<Remembered & Row>(FIND, valuesOf(proof));
      if (found !== undefined) return found;
      // one row, whoever adds it first
      await this.memories.addMissing(undefined, [{ memory: () => 'gen_random_uuid()' }]);
    }
  }
}

function valuesOf({ hash, memory, notUsedBefore }: ProofToUse): unknown[] {
  return [hash, memory, notUsedBefore];
}
