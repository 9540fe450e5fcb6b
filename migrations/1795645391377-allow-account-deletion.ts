import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether users of an organization may delete their own accounts; off until an owner switches it on. */
export class AllowAccountDeletion1795645391377 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE login_policies ADD COLUMN allow_account_deletion boolean NOT NULL DEFAULT false',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE login_policies DROP COLUMN allow_account_deletion');
  }
}
