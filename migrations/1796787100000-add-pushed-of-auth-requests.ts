import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A pushed request is good for one answer: the way to begin a flow again must know those that came from one. */
export class AddPushedOfAuthRequests1796787100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE auth_requests ADD COLUMN pushed boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE auth_requests DROP COLUMN pushed`);
  }
}
