import type { MigrationInterface, QueryRunner } from 'typeorm';
import { firstExpiryIn } from './ca-dates.js';

/** Directories that were set up before anybody looked at the dates of their authorities are warned of as well. */
export class WarnOfExpiringDirectories1796780000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const directories = (await runner.query(`
      SELECT id, settings ->> 'caCertificate' AS pem FROM identity_providers
      WHERE kind = 'ldap' AND settings ? 'caCertificate' ORDER BY id FOR UPDATE`)) as readonly {
      readonly id: string;
      readonly pem: string;
    }[];
    for (const { id, pem } of directories) {
      const first = firstExpiryIn(pem);
      if (first === undefined) continue;
      await runner.query(`UPDATE identity_providers SET expires_at = $2 WHERE id = $1`, [id, first]);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE identity_providers SET expires_at = NULL, warned_of = NULL WHERE kind = 'ldap'`,
    );
  }
}
