import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An id stands for one thing: a user's is never that of an organization, project, application, client, key or
 * project grant. What is no user is entered in `known_ids`, where the primary key decides between two of them; it stays
 * there when the thing goes.
 * Users, of whom there are a thousand times as many, are not entered: their insert looks into `known_ids` once for all
 * rows of a statement, and the others look into `users`. The two sides take one advisory lock, users shared and the
 * others alone, so that neither overlooks what the other has not committed.
 *
 * An id that this service draws can be foreseen, and users may bring theirs along: one that is taken already is drawn
 * again, or whoever may import users could keep all organizations from adding anything.
 */
export class GiveAnIdToOneThing1763704000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE known_ids (
        id text NOT NULL,
        kind text NOT NULL,
        CONSTRAINT known_ids_pkey PRIMARY KEY (id),
        CONSTRAINT known_ids_kind CHECK (kind = ANY (ARRAY['organization'::text, 'project'::text,
          'application'::text, 'client'::text, 'application_key'::text, 'machine_key'::text, 'project_grant'::text]))
      )`);
    // what stands for two things already goes on to: nobody's ids change under them
    await runner.query(`
      INSERT INTO known_ids (id, kind)
      SELECT id, kind FROM (
        SELECT id, 'organization' AS kind, 1 AS place FROM organizations
        UNION ALL SELECT id, 'project', 2 FROM projects
        UNION ALL SELECT id, 'application', 3 FROM applications
        UNION ALL SELECT client_id, 'client', 4 FROM applications
        UNION ALL SELECT id, 'application_key', 5 FROM application_keys
        UNION ALL SELECT id, 'machine_key', 6 FROM machine_keys
        UNION ALL SELECT id, 'project_grant', 7 FROM project_grants
      ) AS all_ids ORDER BY place ON CONFLICT DO NOTHING`);
    await runner.query(`
      CREATE FUNCTION claim_id(claimed text, wanted text, owner_key text) RETURNS void LANGUAGE plpgsql AS $function$
      BEGIN
        PERFORM pg_advisory_xact_lock(1763704000, 1);
        INSERT INTO known_ids AS k (id, kind) VALUES (claimed, wanted)
          ON CONFLICT (id) DO UPDATE SET kind = excluded.kind WHERE k.kind = excluded.kind;
        IF NOT FOUND OR EXISTS (SELECT FROM users u WHERE u.id = claimed) THEN
          RAISE unique_violation USING CONSTRAINT = owner_key, MESSAGE = 'the id stands for something else';
        END IF;
      END
      $function$`);
    // as a violation of the table's own key, which every store turns into its answer
    await runner.query(`
      CREATE FUNCTION claim_own_id() RETURNS trigger LANGUAGE plpgsql AS $function$
      BEGIN
        PERFORM claim_id(NEW.id, TG_ARGV[0], TG_TABLE_NAME || '_pkey');
        RETURN NULL;
      END
      $function$`);
    await runner.query(`
      CREATE FUNCTION claim_client_id() RETURNS trigger LANGUAGE plpgsql AS $function$
      BEGIN
        IF NEW.client_id <> NEW.id THEN PERFORM claim_id(NEW.client_id, 'client', 'applications_client_id'); END IF;
        RETURN NULL;
      END
      $function$`);
    await runner.query(`
      CREATE FUNCTION keep_ids_of_others() RETURNS trigger LANGUAGE plpgsql AS $function$
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(1763704000, 1);
        IF EXISTS (SELECT FROM added a JOIN known_ids k ON k.id = a.id) THEN
          RAISE unique_violation USING CONSTRAINT = 'users_pkey', MESSAGE = 'the id stands for something else';
        END IF;
        RETURN NULL;
      END
      $function$`);
    await runner.query(`
      CREATE OR REPLACE FUNCTION new_id() RETURNS text LANGUAGE plpgsql AS $function$
      DECLARE
        drawn text;
      BEGIN
        LOOP
          drawn := ${DRAWN};
          EXIT WHEN NOT EXISTS (SELECT FROM users u WHERE u.id = drawn)
            AND NOT EXISTS (SELECT FROM known_ids k WHERE k.id = drawn);
        END LOOP;
        RETURN drawn;
      END
      $function$`);
    for (const [table, kind] of Object.entries(KINDS)) {
      await runner.query(`
        CREATE TRIGGER ${table}_claim_id AFTER INSERT ON ${table}
        FOR EACH ROW EXECUTE FUNCTION claim_own_id('${kind}')`);
    }
    await runner.query(`
      CREATE TRIGGER applications_claim_client_id AFTER INSERT OR UPDATE OF client_id ON applications
      FOR EACH ROW EXECUTE FUNCTION claim_client_id()`);
    await runner.query(`
      CREATE TRIGGER users_keep_ids_of_others AFTER INSERT ON users REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION keep_ids_of_others()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER users_keep_ids_of_others ON users`);
    await runner.query(`DROP TRIGGER applications_claim_client_id ON applications`);
    for (const table of Object.keys(KINDS)) await runner.query(`DROP TRIGGER ${table}_claim_id ON ${table}`);
    await runner.query(
      `CREATE OR REPLACE FUNCTION new_id() RETURNS text LANGUAGE sql AS $function$ SELECT ${DRAWN} $function$`,
    );
    await runner.query(`DROP FUNCTION keep_ids_of_others()`);
    await runner.query(`DROP FUNCTION claim_client_id()`);
    await runner.query(`DROP FUNCTION claim_own_id()`);
    await runner.query(`DROP FUNCTION claim_id(text, text, text)`);
    await runner.query(`DROP TABLE known_ids`);
  }
}

const DRAWN = `(((extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1735689600000) * 4194304
            + nextval('id_numbers'))::text`;

const KINDS = {
  organizations: 'organization',
  projects: 'project',
  applications: 'application',
  application_keys: 'application_key',
  machine_keys: 'machine_key',
  project_grants: 'project_grant',
} as const;
