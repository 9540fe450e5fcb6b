import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Applications whose authorization requests have to be signed (RFC 9101 §10.5), and FAPI 2.0 Message Signing. The release before knows
 * nothing of either: neither is to be set before all processes are of this one.
 */
export class DemandSignedRequests1796690100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications
        ADD COLUMN require_signed_request_object boolean NOT NULL DEFAULT false,
        DROP CONSTRAINT applications_security_profile,
        ADD CONSTRAINT applications_security_profile
          CHECK (security_profile IN ('none', 'fapi2', 'fapi2_message_signing'))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE applications SET security_profile = 'fapi2' WHERE security_profile = 'fapi2_message_signing'`,
    );
    await runner.query(`
      ALTER TABLE applications
        DROP COLUMN require_signed_request_object,
        DROP CONSTRAINT applications_security_profile,
        ADD CONSTRAINT applications_security_profile CHECK (security_profile IN ('none', 'fapi2'))
    `);
  }
}
