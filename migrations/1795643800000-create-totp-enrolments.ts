import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Secrets that users are about to put into their authenticator app: nobody is asked for a code of one until its user has
 * shown a code themselves. One for each user; another begin takes its place.
 */
export class CreateTotpEnrolments1795643800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE totp_enrolments (
        user_id text NOT NULL,
        org_id text NOT NULL,
        bound_to text NOT NULL,
        secret_sealed bytea NOT NULL,
        data_key_id integer NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT totp_enrolments_pkey PRIMARY KEY (user_id),
        CONSTRAINT totp_enrolments_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT totp_enrolments_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id)
      )
    `);
    await runner.query(`CREATE INDEX totp_enrolments_expiry ON totp_enrolments (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE totp_enrolments`);
  }
}
