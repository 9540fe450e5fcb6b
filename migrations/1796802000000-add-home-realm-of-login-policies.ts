import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The provider of the instance that an organization sends the addresses of its domains to, and, of a sign-in that began by such an
 * address, whose domain it was. The release before sends nobody there, and leaves both empty.
 */
export class AddHomeRealmOfLoginPolicies1796802000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE login_policies ADD COLUMN home_realm_idp_id text`);
    await runner.query(`ALTER TABLE external_sign_ins ADD COLUMN realm_org_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE external_sign_ins DROP COLUMN realm_org_id`);
    await runner.query(`ALTER TABLE login_policies DROP COLUMN home_realm_idp_id`);
  }
}
