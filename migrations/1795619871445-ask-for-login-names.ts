import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether whoever registers in an organization chooses a login name; otherwise the e-mail address is the user name. First
 * and last name are asked for no more, and only processes of the release before still write them.
 */
export class AskForLoginNames1795619871445 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE login_policies ADD COLUMN require_login_name boolean NOT NULL DEFAULT false',
    );
    await runner.query(
      "ALTER TABLE registrations ALTER COLUMN first_name SET DEFAULT '', ALTER COLUMN last_name SET DEFAULT ''",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE registrations ALTER COLUMN first_name DROP DEFAULT, ALTER COLUMN last_name DROP DEFAULT',
    );
    await runner.query('ALTER TABLE login_policies DROP COLUMN require_login_name');
  }
}
