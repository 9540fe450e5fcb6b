import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Secrets and certificates of providers expire; somebody is warned of each date once. */
export class WarnOfExpiringProviders1796410100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE identity_providers ADD COLUMN expires_at timestamptz, ADD COLUMN warned_of timestamptz`,
    );
    await runner.query(
      `CREATE INDEX identity_providers_expiry ON identity_providers (expires_at) WHERE expires_at IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE identity_providers DROP COLUMN warned_of, DROP COLUMN expires_at`);
  }
}
