import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The client id by which the console signs people in. Without a reference: bootstrap makes it anew when it is gone. */
export class AddConsoleClient1795800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE instance ADD COLUMN console_client_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE instance DROP COLUMN console_client_id`);
  }
}
