import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The erasure of removed organizations left their identity providers and just-in-time migrations, with sealed secrets,
 * and what a directory calls their groups. Of organizations that are still being erased the job takes them.
 */
export class EraseProvidersOfRemoved1796785000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['identity_providers', 'user_migrations', 'provisioned_groups']) {
      await runner.query(
        `DELETE FROM ${table} WHERE org_id IN (SELECT id FROM organizations WHERE state = 'removed')`,
      );
    }
  }

  async down(): Promise<void> {
    // what is gone stays so
  }
}
