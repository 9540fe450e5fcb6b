import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Codes that strangers have sent to somebody are bounded by where they ask from, so that the owner of the account is not
 * kept out, nor a manager. A keyed digest, which goes with the row. Rows of the release before have none and count as a
 * manager's.
 */
export class AddSourceOfCodes1796795000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE verification_codes ADD COLUMN source bytea`);
    await runner.query(`ALTER TABLE notifications ADD COLUMN source bytea`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE notifications DROP COLUMN source`);
    await runner.query(`ALTER TABLE verification_codes DROP COLUMN source`);
  }
}
