import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counted attempts at a user's password, and the alarms that were raised in the instance. */
export class CreatePasswordAttempts1763700600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // every sign-in changes its row twice: room on the page keeps those changes out of the index
    await runner.query(`
      CREATE TABLE password_attempts (
        user_id text CONSTRAINT password_attempts_pkey PRIMARY KEY,
        org_id text NOT NULL,
        attempts integer NOT NULL,
        forgiven integer NOT NULL DEFAULT 0,
        wrong integer NOT NULL DEFAULT 0,
        last_at timestamptz NOT NULL,
        CONSTRAINT password_attempts_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT password_attempts_count CHECK (forgiven BETWEEN 0 AND attempts AND wrong BETWEEN 0 AND attempts - forgiven)
      ) WITH (fillfactor = 70)
    `);
    await runner.query(`
      CREATE TABLE alarms (
        kind text CONSTRAINT alarms_pkey PRIMARY KEY,
        times bigint NOT NULL DEFAULT 1,
        raised_at timestamptz NOT NULL
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE alarms`);
    await runner.query(`DROP TABLE password_attempts`);
  }
}
