import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A sector that nobody has shown to be theirs is an organization's own. Its applications name their users anew, so that what they
 * were told before ends, as with any other change of a sector. A process of before goes on by whatever stands here.
 */
export class OwnSectors1796740000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE applications SET pairwise_sector = org_id || ' ' || pairwise_sector, token_epoch = token_epoch + 1
      WHERE pairwise_sector IS NOT NULL AND sector_identifier_uri IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE applications SET pairwise_sector = split_part(pairwise_sector, ' ', 2), token_epoch = token_epoch + 1
      WHERE pairwise_sector IS NOT NULL AND sector_identifier_uri IS NULL`);
  }
}
