import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where an application publishes authorization requests (OpenID Connect Core 1.0 §6.2). The release before asks for none of them. */
export class AddRequestUris1796790000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications
        ADD COLUMN request_uris text[] NOT NULL DEFAULT '{}',
        ADD CONSTRAINT applications_request_uris CHECK (cardinality(request_uris) <= 10)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications DROP COLUMN request_uris`);
  }
}
