import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A link that the command line prints sets a password as one in a mail does, but it was not sent anywhere: it proves no
 * address. All codes of before were sent.
 */
export class HandOutLinks1763705000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE verification_codes ADD COLUMN proves_address boolean NOT NULL DEFAULT true`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    // without the column such a code would prove an address
    await runner.query(`DELETE FROM verification_codes WHERE NOT proves_address`);
    await runner.query(`ALTER TABLE verification_codes DROP COLUMN proves_address`);
  }
}
