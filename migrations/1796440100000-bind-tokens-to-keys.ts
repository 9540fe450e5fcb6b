import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Proofs of possession (RFC 9449): which key a code or the refresh tokens of a public client are bound to, which applications
 * have bound tokens alone, and which proofs were used. The release before takes a code or a refresh token without its proof.
 */
export class BindTokensToKeys1796440100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // a proof is good for two minutes: after a crash of the server, which empties the table, those few are good once more,
    // and no request waits for the disk on their account
    await runner.query(`
      CREATE UNLOGGED TABLE used_proofs (
        hash bytea CONSTRAINT used_proofs_pkey PRIMARY KEY,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX used_proofs_expiry ON used_proofs (expires_at)`);
    await runner.query(`ALTER TABLE auth_requests ADD COLUMN dpop_jkt text`);
    await runner.query(`ALTER TABLE codes ADD COLUMN dpop_jkt text`);
    await runner.query(`ALTER TABLE refresh_token_families ADD COLUMN dpop_jkt text`);
    await runner.query(
      `ALTER TABLE applications ADD COLUMN dpop_bound_access_tokens boolean NOT NULL DEFAULT false`,
    );
  }

  /** What is bound to a key must not become good without it. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM auth_requests WHERE dpop_jkt IS NOT NULL`);
    await runner.query(`DELETE FROM codes WHERE dpop_jkt IS NOT NULL`);
    await runner.query(`DELETE FROM refresh_token_families WHERE dpop_jkt IS NOT NULL`);
    await runner.query(`ALTER TABLE applications DROP COLUMN dpop_bound_access_tokens`);
    await runner.query(`ALTER TABLE refresh_token_families DROP COLUMN dpop_jkt`);
    await runner.query(`ALTER TABLE codes DROP COLUMN dpop_jkt`);
    await runner.query(`ALTER TABLE auth_requests DROP COLUMN dpop_jkt`);
    await runner.query(`DROP TABLE used_proofs`);
  }
}
