import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who named an identity for somebody else: it ends like any other credential of a lower rank when its user rises. Those that are
 * there already are taken for their users' own, as nobody wrote down who named them; the release before writes none.
 */
export class AddMakerOfIdentities1796405000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE user_identities ADD COLUMN made_by text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE user_identities DROP COLUMN made_by`);
  }
}
