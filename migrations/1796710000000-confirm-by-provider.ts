import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose session is shown to be theirs by a provider. The release before finds no purpose that it knows, and does nothing. */
export class ConfirmByProvider1796710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE external_sign_ins ADD COLUMN confirm_session_id text,
        DROP CONSTRAINT external_sign_ins_purpose,
        ADD CONSTRAINT external_sign_ins_purpose
          CHECK (num_nonnulls(flow_id, link_session_id, confirm_session_id) = 1)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM external_sign_ins WHERE confirm_session_id IS NOT NULL`);
    await runner.query(`
      ALTER TABLE external_sign_ins DROP CONSTRAINT external_sign_ins_purpose,
        ADD CONSTRAINT external_sign_ins_purpose CHECK (num_nonnulls(flow_id, link_session_id) = 1),
        DROP COLUMN confirm_session_id`);
  }
}
