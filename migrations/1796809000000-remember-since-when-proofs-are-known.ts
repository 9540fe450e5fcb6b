import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Since when used proofs of possession are remembered. The row goes whenever theirs go, in a crash and on a standby that takes
 * over: the table is unlogged as `used_proofs` is. The release before goes on without it.
 */
export class RememberSinceWhenProofsAreKnown1796809000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE used_proofs_since (
        id boolean NOT NULL DEFAULT true,
        memory uuid NOT NULL,
        since timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT used_proofs_since_pkey PRIMARY KEY (id),
        CONSTRAINT used_proofs_since_one_row CHECK (id)
      )`);
    // what was used so far is in the table, or has expired
    await runner.query(
      `INSERT INTO used_proofs_since (memory, since) VALUES (gen_random_uuid(), to_timestamp(0))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE used_proofs_since`);
  }
}
