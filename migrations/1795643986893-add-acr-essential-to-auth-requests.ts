import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether nothing but the `acr` asked for will do; until then it was no more than a wish. */
export class AddAcrEssentialToAuthRequests1795643986893 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE auth_requests ADD COLUMN acr_essential boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE auth_requests DROP COLUMN acr_essential');
  }
}
