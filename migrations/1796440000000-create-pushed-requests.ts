import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Authorization requests that applications have pushed (RFC 9126), and which of them push all of theirs. The release before
 * has no such endpoint, and answers what stands for a pushed request as any other `request_uri`.
 */
export class CreatePushedRequests1796440000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE pushed_requests (
        hash bytea CONSTRAINT pushed_requests_pkey PRIMARY KEY,
        application_id text NOT NULL CONSTRAINT pushed_requests_application REFERENCES applications (id) ON DELETE CASCADE,
        request jsonb NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX pushed_requests_by_application ON pushed_requests (application_id)`);
    await runner.query(`CREATE INDEX pushed_requests_expiry ON pushed_requests (expires_at)`);
    await runner.query(
      `ALTER TABLE applications ADD COLUMN require_pushed_authorization_requests boolean NOT NULL DEFAULT false`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications DROP COLUMN require_pushed_authorization_requests`);
    await runner.query(`DROP TABLE pushed_requests`);
  }
}
