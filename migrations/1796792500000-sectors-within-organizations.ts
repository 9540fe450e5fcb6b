import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Every sector is an organization's own, also one with an address: the redirect URIs that it lists can be written down by anybody.
 * Its applications name their users anew, so that what they were told before ends, as with any other change of a sector.
 */
export class SectorsWithinOrganizations1796792500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE applications SET pairwise_sector = org_id || ' ' || pairwise_sector, token_epoch = token_epoch + 1
      WHERE pairwise_sector IS NOT NULL AND sector_identifier_uri IS NOT NULL`);
    // a process of before would write the bare host again
    await runner.query(`
      ALTER TABLE applications ADD CONSTRAINT applications_own_sector
        CHECK (pairwise_sector IS NULL OR starts_with(pairwise_sector, org_id || ' '))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE applications DROP CONSTRAINT applications_own_sector');
    await runner.query(`
      UPDATE applications SET pairwise_sector = split_part(pairwise_sector, ' ', 2), token_epoch = token_epoch + 1
      WHERE pairwise_sector IS NOT NULL AND sector_identifier_uri IS NOT NULL`);
  }
}
