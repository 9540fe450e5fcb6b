import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Organizations that were removed say when nothing of them is left. A token exchange remembers the form of access token
 * that was asked for, and the very tokens that it hangs from, so that upkeep keeps their revocations as long as it lives.
 * And one table holds the assertions that were used.
 */
export class EndThingsForGood1763701500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE organizations
        ADD COLUMN erased_at timestamptz,
        ADD CONSTRAINT organizations_erased CHECK (erased_at IS NULL OR state = 'removed')
    `);
    await runner.query(`
      ALTER TABLE grants
        ADD COLUMN access_token_type text,
        ADD COLUMN tied_tokens text[],
        ADD CONSTRAINT grants_access_token_type CHECK (access_token_type IN ('opaque', 'jwt'))
    `);
    await runner.query(`
      CREATE INDEX grants_by_tied_token ON grants USING gin (tied_tokens) WHERE tied_tokens IS NOT NULL
    `);
    await runner.query('DROP TABLE used_grant_assertions');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE used_grant_assertions (
        hash bytea CONSTRAINT used_grant_assertions_pkey PRIMARY KEY,
        expires_at timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX used_grant_assertions_expiry ON used_grant_assertions (expires_at)');
    await runner.query('ALTER TABLE grants DROP COLUMN tied_tokens, DROP COLUMN access_token_type');
    await runner.query('ALTER TABLE organizations DROP COLUMN erased_at');
  }
}
