import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The address by which requests name a project (RFC 8707). */
export class AddResourceUri1796470200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projects
        ADD COLUMN resource_uri text,
        ADD CONSTRAINT projects_resource_uri UNIQUE (resource_uri),
        ADD CONSTRAINT projects_resource_uri_length CHECK (char_length(resource_uri) BETWEEN 1 AND 500)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE projects DROP COLUMN resource_uri`);
  }
}
