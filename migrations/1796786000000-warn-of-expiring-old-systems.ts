import type { MigrationInterface, QueryRunner } from 'typeorm';
import { firstExpiryIn } from './ca-dates.js';

/** A directory that people come over from is warned of like one that they sign in with. */
export class WarnOfExpiringOldSystems1796786000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE user_migrations ADD COLUMN expires_at timestamptz, ADD COLUMN warned_of timestamptz`,
    );
    await runner.query(
      `CREATE INDEX user_migrations_expiry ON user_migrations (expires_at) WHERE expires_at IS NOT NULL`,
    );
    await this.readDates(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE user_migrations DROP COLUMN warned_of, DROP COLUMN expires_at`);
  }

  /** Of directories that were set up before. */
  async readDates(runner: QueryRunner): Promise<void> {
    const directories = (await runner.query(`
      SELECT org_id, settings ->> 'caCertificate' AS pem FROM user_migrations
      WHERE kind = 'ldap' AND settings ? 'caCertificate' ORDER BY org_id FOR UPDATE`)) as readonly {
      readonly org_id: string;
      readonly pem: string;
    }[];
    for (const { org_id: orgId, pem } of directories) {
      const first = firstExpiryIn(pem);
      if (first === undefined) continue;
      await runner.query(`UPDATE user_migrations SET expires_at = $2 WHERE org_id = $1`, [orgId, first]);
    }
  }
}
