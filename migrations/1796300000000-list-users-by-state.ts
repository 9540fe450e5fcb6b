import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes for the list of users: those of a state that few are in, service users among a million people, and numbers by what is inside
 * them. The last one takes the extension pg_trgm, as those of `search-inside-names` do; who has no number is not in it.
 */
export class ListUsersByState1796300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // nearly everybody is active: they are found without, and imports of them need not write it
    await runner.query(`
      CREATE INDEX users_by_state ON users (org_id, state, id) WHERE state <> 'active' AND state <> 'deleted'
    `);
    await runner.query(`CREATE INDEX service_users_listed ON service_users (org_id, user_id)`);
    const [row] = (await runner.query(`
      SELECT nspname AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
      WHERE extname = 'pg_trgm' AND has_schema_privilege(n.oid, 'USAGE')
    `)) as { schema: string }[];
    if (row === undefined) return;
    await runner.query(`
      CREATE INDEX user_humans_search_phone ON user_humans USING gin (phone "${row.schema}".gin_trgm_ops)
      WHERE phone IS NOT NULL
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const index of ['user_humans_search_phone', 'service_users_listed', 'users_by_state']) {
      await runner.query(`DROP INDEX IF EXISTS ${index}`);
    }
  }
}
