import type { MigrationInterface, QueryRunner } from 'typeorm';

/** SAML providers end sessions by the NameID that they knew their user by. The release before keeps none, and ends none. */
export class SamlSingleLogout1796771000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE provider_sessions ADD COLUMN provider_name text`);
    await runner.query(`
      CREATE INDEX provider_sessions_by_name ON provider_sessions (provider_id, provider_name)
      WHERE provider_name IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE provider_sessions DROP COLUMN provider_name`);
  }
}
