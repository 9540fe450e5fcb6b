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
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE applications SET pairwise_sector = split_part(pairwise_sector, ' ', 2), token_epoch = token_epoch + 1
      WHERE pairwise_sector IS NOT NULL AND sector_identifier_uri IS NOT NULL`);
  }
}
