import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications that are held to the FAPI 2.0 Security Profile. The release before serves them by their other settings alone. */
export class AddSecurityProfile1796540000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications
        ADD COLUMN security_profile text NOT NULL DEFAULT 'none',
        ADD CONSTRAINT applications_security_profile CHECK (security_profile IN ('none', 'fapi2'))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications DROP COLUMN security_profile`);
  }
}
