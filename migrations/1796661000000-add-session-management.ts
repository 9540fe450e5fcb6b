import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications whose answers have a session state (OpenID Connect Session Management 1.0 §2). The release before gives none. */
export class AddSessionManagement1796661000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE applications ADD COLUMN session_management boolean NOT NULL DEFAULT false`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications DROP COLUMN session_management`);
  }
}
