import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications that describe themselves at the address that is their client id. */
export class TakeClientDocuments1796470100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications
        DROP CONSTRAINT applications_registration,
        ADD CONSTRAINT applications_registration
          CHECK (registration IN ('initial_access_token', 'anyone', 'document'))
    `);
    await runner.query(`
      ALTER TABLE client_registrations
        ALTER COLUMN token_hash DROP NOT NULL,
        ADD COLUMN fresh_until timestamptz,
        ADD CONSTRAINT client_registrations_kind CHECK ((token_hash IS NULL) = (fresh_until IS NOT NULL))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM applications WHERE registration = 'document'`);
    await runner.query(`
      ALTER TABLE client_registrations
        DROP CONSTRAINT client_registrations_kind,
        DROP COLUMN fresh_until,
        ALTER COLUMN token_hash SET NOT NULL
    `);
    await runner.query(`
      ALTER TABLE applications
        DROP CONSTRAINT applications_registration,
        ADD CONSTRAINT applications_registration CHECK (registration IN ('initial_access_token', 'anyone'))
    `);
  }
}
