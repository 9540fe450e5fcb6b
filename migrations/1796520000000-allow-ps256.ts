import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = [
  ['signing_keys', 'signing_keys_algorithm', 'algorithm'],
  ['applications', 'applications_id_token_algorithm', 'id_token_algorithm'],
  ['applications', 'applications_userinfo_algorithm', 'userinfo_algorithm'],
  ['applications', 'applications_authorization_algorithm', 'authorization_algorithm'],
] as const;

/** Signing with RSASSA-PSS (RFC 7518 §3.5). The release before makes no such key, and can verify what one has signed. */
export class AllowPs2561796520000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await allow(runner, `'RS256', 'PS256', 'ES256', 'EdDSA'`);
  }

  /** Its keys go, and tokens of these keys verify no longer; a start of the release before makes others. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM signing_keys WHERE algorithm = 'PS256'`);
    for (const [table, , column] of COLUMNS.slice(1)) {
      await runner.query(`UPDATE ${table} SET ${column} = NULL WHERE ${column} = 'PS256'`);
    }
    await allow(runner, `'RS256', 'ES256', 'EdDSA'`);
  }
}

async function allow(runner: QueryRunner, algorithms: string): Promise<void> {
  for (const [table, constraint, column] of COLUMNS) {
    await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT ${constraint}`);
    await runner.query(
      `ALTER TABLE ${table} ADD CONSTRAINT ${constraint} CHECK (${column} IN (${algorithms}))`,
    );
  }
}
