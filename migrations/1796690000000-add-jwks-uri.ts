import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications that publish their keys. The release before finds no key of such an application and refuses what it signs. */
export class AddJwksUri1796690000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications ADD COLUMN jwks_uri text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications DROP COLUMN jwks_uri`);
  }
}
