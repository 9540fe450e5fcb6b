import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications whose JWT access tokens say by their header what they are (RFC 9068). */
export class AddAccessTokenAtJwt1796440200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE applications ADD COLUMN access_token_at_jwt boolean NOT NULL DEFAULT false`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications DROP COLUMN access_token_at_jwt`);
  }
}
