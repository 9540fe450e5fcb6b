import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whoever asks for mails to somebody's address is bounded by where they ask from, so that the owner of the address is not kept out.
 * A keyed digest, which goes with the row. Rows of the release before have none and count for the address alone.
 */
export class AddSourceOfRegistrations1796787200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE registrations ADD COLUMN source bytea`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE registrations DROP COLUMN source`);
  }
}
