// SQL by hand: one INSERT stores a DPoP proof and tells whether it was used before
import { Injectable } from '@nestjs/common';
import { UsedProofsStore, type ProofToUse, type Remembered } from '../../../domain/dpop/used-proofs.store.js';
import { Sql } from '../sql.js';
import type { Row, Statement } from '../statement.js';
import { sweepOf, SWEPT_EVERY } from '../sweep.js';

/** $2 and $3 are of the proof: the memory that its nonce names, and before which moment it was not used. */
const COVERED = '(s.memory = $2::uuid) IS TRUE OR s.since <= to_timestamp($3)';
// A row that has expired and is still there stands for a proof that is dead. Where the memory was lost, there is no row to select.
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
const BEGIN: Statement = {
  name: 'used-proofs-begin',
  text: `INSERT INTO used_proofs_since (memory) VALUES (gen_random_uuid()) ON CONFLICT DO NOTHING`,
};
const SWEEP = sweepOf('used_proofs');

@Injectable()
export class PgUsedProofsStore extends UsedProofsStore {
  private uses = 0;

  constructor(private readonly sql: Sql) {
    super();
  }

  /** Not on a pipelined connection: a statement that is sent twice would find the proof used. */
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
      await this.sql.change(BEGIN, []);
    }
  }
}

function valuesOf({ hash, memory, notUsedBefore }: ProofToUse): unknown[] {
  return [hash, memory, notUsedBefore];
}
