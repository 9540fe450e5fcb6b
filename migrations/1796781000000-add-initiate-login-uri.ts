import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where an application lets a sign-in to it begin (OpenID Connect Core 1.0 §4). The release before keeps none. */
export class AddInitiateLoginUri1796781000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications ADD COLUMN initiate_login_uri text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications DROP COLUMN initiate_login_uri`);
  }
}
