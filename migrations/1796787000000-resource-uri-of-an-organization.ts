import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An address is of one project of its organization, no longer of the instance: whoever wrote it first kept everybody else from it.
 * The release before finds both of two organizations' projects of one address, and refuses one of them as it refuses another's.
 */
export class ResourceUriOfAnOrganization1796787000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projects
        DROP CONSTRAINT projects_resource_uri,
        ADD CONSTRAINT projects_resource_uri UNIQUE (resource_uri, org_id)
    `);
  }

  /** Fails where two organizations have an address: which of them keeps it is not ours to say. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projects
        DROP CONSTRAINT projects_resource_uri,
        ADD CONSTRAINT projects_resource_uri UNIQUE (resource_uri)
    `);
  }
}
