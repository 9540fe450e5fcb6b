import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One-time links by which somebody adds a passkey, and who handed them out. */
export class AddPasskeyLinks1795700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE verification_codes ADD COLUMN made_by text`);
    await runner.query(`ALTER TABLE passkeys ADD COLUMN link_made_by text`);
    await allowPurposes(runner, [...PURPOSES, 'register_passkey']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM verification_codes WHERE purpose = 'register_passkey'`);
    await allowPurposes(runner, PURPOSES);
    await runner.query(`ALTER TABLE passkeys DROP COLUMN link_made_by`);
    await runner.query(`ALTER TABLE verification_codes DROP COLUMN made_by`);
  }
}

const PURPOSES = [
  'initialise',
  'verify_email',
  'verify_phone',
  'reset_password',
  'second_factor_email',
  'second_factor_sms',
];

async function allowPurposes(runner: QueryRunner, purposes: readonly string[]): Promise<void> {
  const list = purposes.map((purpose) => `'${purpose}'`).join(', ');
  await runner.query(`
    ALTER TABLE verification_codes DROP CONSTRAINT verification_codes_purpose,
      ADD CONSTRAINT verification_codes_purpose CHECK (purpose IN (${list}))`);
}
