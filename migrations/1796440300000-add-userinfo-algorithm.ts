import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications that get userinfo as a signed JWT (OpenID Connect Core §5.3.2). */
export class AddUserinfoAlgorithm1796440300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications ADD COLUMN userinfo_algorithm text
        CONSTRAINT applications_userinfo_algorithm CHECK (userinfo_algorithm IN ('RS256', 'ES256', 'EdDSA'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications DROP COLUMN userinfo_algorithm`);
  }
}
