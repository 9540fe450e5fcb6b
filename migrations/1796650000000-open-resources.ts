import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Projects that users may give to applications which nobody here vouches for (RFC 8707). */
export class OpenResources1796650000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE projects ADD COLUMN open_resource boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE projects DROP COLUMN open_resource`);
  }
}
