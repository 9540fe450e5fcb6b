import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The organizations whose SMS cost most are added up from their counts of SMS alone, not from all of a month. The count is
 * no part of the index: raising it changes the row alone.
 */
export class FindWhoSendsSms1796811000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX organization_counts_of_sms ON organization_counts (hour)
         WHERE counted IN ('smsAdmitted', 'smsCost', 'smsRefused')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX organization_counts_of_sms');
  }
}
