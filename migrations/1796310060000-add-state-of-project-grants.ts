import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A project grant can be put to rest: what rests on it does nothing meanwhile, and is kept. */
export class AddStateOfProjectGrants1796310060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE project_grants ADD COLUMN state text NOT NULL DEFAULT 'active',
        ADD CONSTRAINT project_grants_state CHECK (state IN ('active', 'inactive'))`);
  }

  /** The release before knows no grant that rests: what was taken from an organization must not come back by itself. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM project_grants WHERE state = 'inactive'`);
    await runner.query(`ALTER TABLE project_grants DROP COLUMN state`);
  }
}
