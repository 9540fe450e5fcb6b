import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who holds roles of a project is read a page at a time, the oldest or newest first, without the organization's other assignments. */
export class FindWhoHoldsRoles1796811000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX role_assignments_by_project ON role_assignments (org_id, project_id, created_at, id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX role_assignments_by_project');
  }
}
