import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries of a directory outlived the migration they came over by: from now on they go with it. */
export class ForgetEntriesOfMigrations1796806000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM user_migration_entries e
      WHERE NOT EXISTS (SELECT FROM user_migrations m WHERE m.org_id = e.org_id)`);
  }

  async down(): Promise<void> {
    // what is forgotten stays so
  }
}
