import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names that came over from an old system, or whose user was deleted meanwhile. The release before remembers none. */
export class RememberNamesOfMigrations1796804000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE user_migration_names (
        org_id text NOT NULL,
        name_hash bytea NOT NULL,
        CONSTRAINT user_migration_names_pkey PRIMARY KEY (org_id, name_hash),
        CONSTRAINT user_migration_names_migration FOREIGN KEY (org_id) REFERENCES user_migrations (org_id) ON DELETE CASCADE,
        CONSTRAINT user_migration_names_hash CHECK (octet_length(name_hash) = 32)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE user_migration_names`);
  }
}
