import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Applications that know their users by names of their own. The release before would tell them the ids of users, so no application
 * is given pairwise subjects before all processes are of this one: `PAIRWISE_SUBJECTS` is unknown to the one before.
 */
export class AddPairwiseSubjects1796670000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications
        ADD COLUMN subject_type text NOT NULL DEFAULT 'public',
        ADD COLUMN sector_identifier_uri text,
        ADD COLUMN pairwise_sector text,
        ADD CONSTRAINT applications_subject_type CHECK (subject_type IN ('public', 'pairwise')),
        ADD CONSTRAINT applications_pairwise_sector
          CHECK ((subject_type = 'pairwise') = (pairwise_sector IS NOT NULL))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications
        DROP COLUMN pairwise_sector, DROP COLUMN sector_identifier_uri, DROP COLUMN subject_type
    `);
  }
}
