import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications whose authorization responses are signed by another key than the instance's (JARM §3). */
export class AddAuthorizationAlgorithm1796510000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications ADD COLUMN authorization_algorithm text
        CONSTRAINT applications_authorization_algorithm CHECK (authorization_algorithm IN ('RS256', 'ES256', 'EdDSA'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications DROP COLUMN authorization_algorithm`);
  }
}
