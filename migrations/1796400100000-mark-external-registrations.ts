import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Somebody who signed in elsewhere, whose address the provider does not vouch for, proves it as whoever registers does. */
export class MarkExternalRegistrations1796400100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE registrations ADD COLUMN external boolean NOT NULL DEFAULT false`);
  }

  /** The release before would make users with passwords of them. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM registrations WHERE external`);
    await runner.query(`ALTER TABLE registrations DROP COLUMN external`);
  }
}
