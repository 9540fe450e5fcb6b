import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A sign-in may lead to the account pages; the release before knows only the other destinations. */
export class LeadSignInsToTheAccount1795619207545 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE auth_requests
        DROP CONSTRAINT auth_requests_destination,
        ADD CONSTRAINT auth_requests_destination
          CHECK (destination IN ('application', 'home', 'queues', 'account'))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM auth_requests WHERE destination = 'account'`);
    await runner.query(`
      ALTER TABLE auth_requests
        DROP CONSTRAINT auth_requests_destination,
        ADD CONSTRAINT auth_requests_destination CHECK (destination IN ('application', 'home', 'queues'))
    `);
  }
}
