import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users who have an identity at a provider and were left waiting for a password: no provider could sign them in. */
export class LetInByIdentities1796770100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE users SET state = 'active', sequence = sequence + 1, changed_at = app_now()
      WHERE state = 'initial' AND id IN (SELECT user_id FROM user_identities)`);
    // an invitation that was to give them a password has done its part
    await runner.query(`
      UPDATE verification_codes SET ended_at = app_now()
      WHERE purpose = 'initialise' AND ended_at IS NULL AND user_id IN (SELECT user_id FROM user_identities)`);
  }

  async down(): Promise<void> {
    // who is active stays so
  }
}
