import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The token that undoing an import, or sending its messages, was asked for with. Of those under way nobody knows it, and the
 * release before keeps none: they go on.
 */
export class AddTokenOfPostImports1796797000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE imports
        ADD COLUMN undone_token_id text, ADD COLUMN undone_subject_epoch integer,
        ADD COLUMN notified_token_id text, ADD COLUMN notified_subject_epoch integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE imports
        DROP COLUMN notified_subject_epoch, DROP COLUMN notified_token_id,
        DROP COLUMN undone_subject_epoch, DROP COLUMN undone_token_id`);
  }
}
