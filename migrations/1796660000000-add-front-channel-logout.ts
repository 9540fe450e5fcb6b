import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications that a browser tells of a logout (OpenID Connect Front-Channel Logout 1.0 §2). The release before tells none. */
export class AddFrontChannelLogout1796660000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications
        ADD COLUMN front_channel_logout_uri text,
        ADD COLUMN front_channel_logout_session_required boolean NOT NULL DEFAULT false
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications DROP COLUMN front_channel_logout_uri, DROP COLUMN front_channel_logout_session_required`);
  }
}
