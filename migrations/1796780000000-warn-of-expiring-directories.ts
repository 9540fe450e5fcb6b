import { X509Certificate } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const BLOCK = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[^-]*-----END \1-----/g;

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
      const dates = [...pem.matchAll(BLOCK)].flatMap(([block]) => expiryOf(block));
      if (dates.length === 0) continue;
      await runner.query(`UPDATE identity_providers SET expires_at = $2 WHERE id = $1`, [
        id,
        new Date(Math.min(...dates)),
      ]);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE identity_providers SET expires_at = NULL, warned_of = NULL WHERE kind = 'ldap'`,
    );
  }
}

/** Nothing of what cannot be read, such as text that was kept though only the certificate before it counted. */
function expiryOf(block: string): readonly number[] {
  try {
    return [Date.parse(new X509Certificate(block).validTo)].filter((date) => !Number.isNaN(date));
  } catch {
    return [];
  }
}
