import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations that were removed say when nothing of them is left. */
export class EndThingsForGood1763701500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE organizations
        ADD COLUMN erased_at timestamptz,
        ADD CONSTRAINT organizations_erased CHECK (erased_at IS NULL OR state = 'removed')
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organizations DROP COLUMN erased_at');
  }
}
