import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the extension goes when it is not there yet, so that its functions stay out of ours. */
const SCHEMA = 'trigrams';

/** All that is searched of a human, as one: what two names have in common is in the index once. */
const SEARCHED = ['first_name', 'last_name', 'nick_name', 'display_name', 'email']
  .map((column) => `coalesce(${column}, '')`)
  .join(` || ' ' || `);

/**
 * Indexes for what is in the middle of a name. They take the extension pg_trgm, which a managed PostgreSQL may not have
 * or not allow: then the search does without (docs/database.md says what that means, and how to make up for it).
 */
export class SearchInsideNames1764000300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const schema = await schemaOf(runner, await canBeMade(runner));
    if (schema === undefined) return;
    const operators = `"${schema}".gin_trgm_ops`;
    await runner.query(`CREATE INDEX users_search_inside ON users USING gin (lower(user_name) ${operators})`);
    await runner.query(
      `CREATE INDEX user_humans_search_inside ON user_humans USING gin (lower(${SEARCHED}) ${operators})`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX IF EXISTS user_humans_search_inside`);
    await runner.query(`DROP INDEX IF EXISTS users_search_inside`);
    // an extension that somebody else installed is not in it
    await runner.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
  }
}

/** pg_trgm is a trusted extension: whoever may create schemas in the database may install it. */
async function canBeMade(runner: QueryRunner): Promise<boolean> {
  const [row] = (await runner.query(`
    SELECT has_database_privilege(current_database(), 'CREATE')
      AND EXISTS (SELECT FROM pg_available_extension_versions WHERE name = 'pg_trgm' AND (trusted OR NOT superuser
        OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user))) AS possible
  `)) as { possible: boolean }[];
  return row?.possible ?? false;
}

/** The schema of the extension, which is installed where it can be; undefined where it cannot. */
async function schemaOf(runner: QueryRunner, possible: boolean): Promise<string | undefined> {
  if (possible) {
    // a list of the provider's own can forbid it all the same, each with an error of its own
    await runner.query(`
      DO $$ BEGIN
        IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
          CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
          CREATE EXTENSION pg_trgm WITH SCHEMA ${SCHEMA};
        END IF;
      EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'pg_trgm cannot be installed: %', SQLERRM;
      END $$
    `);
  }
  const [row] = (await runner.query(`
    SELECT nspname AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE extname = 'pg_trgm' AND has_schema_privilege(n.oid, 'USAGE')
  `)) as { schema: string }[];
  return row?.schema;
}
