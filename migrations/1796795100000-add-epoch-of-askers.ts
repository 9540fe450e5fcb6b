import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The epoch under which the token was given out that an import, or an action on many users, was asked for with. Of those under way
 * nobody knows it, and the release before keeps none: they go on.
 */
export class AddEpochOfAskers1796795100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE bulk_actions ADD COLUMN subject_epoch integer`);
    await runner.query(`ALTER TABLE imports ADD COLUMN subject_epoch integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE imports DROP COLUMN subject_epoch`);
    await runner.query(`ALTER TABLE bulk_actions DROP COLUMN subject_epoch`);
  }
}
