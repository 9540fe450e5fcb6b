import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lists of what there may be many of are read a page at a time in the order of names or of age, which an index has. Letters are
 * compared as they are numbered, whatever the language of the database. Names of people have such indexes, for searches; those
 * of service users get the same kind.
 */
const INDEXES = {
  service_users_by_name: 'service_users (org_id, lower(name) text_pattern_ops)',
  organizations_by_name: `organizations (lower(name) COLLATE "C", id) WHERE state <> 'removed'`,
  organizations_by_age: `organizations (created_at, id) WHERE state <> 'removed'`,
  projects_by_name: 'projects (org_id, lower(name) COLLATE "C", id)',
  projects_by_age: 'projects (org_id, created_at, id)',
  applications_by_name: 'applications (project_id, lower(name) COLLATE "C", id)',
  applications_by_age: 'applications (project_id, created_at, id)',
};

export class OrderListsByName1796800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, what] of Object.entries(INDEXES)) {
      await runner.query(`CREATE INDEX ${name} ON ${what}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES).toReversed()) await runner.query(`DROP INDEX ${name}`);
  }
}
