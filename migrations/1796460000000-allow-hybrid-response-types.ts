import type { MigrationInterface, QueryRunner } from 'typeorm';

const BEFORE = 'code,id_token,id_token token';
const HYBRID = 'code id_token,code token,code id_token token';

/** Answers with a code and a token (OpenID Connect Core §3.3). The release before serves none of these types to anybody. */
export class AllowHybridResponseTypes1796460000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await allow(runner, `${BEFORE},${HYBRID}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE applications
      SET response_types = ARRAY(SELECT type FROM unnest(response_types) AS type WHERE type <> ALL ('{${HYBRID}}'::text[]))
      WHERE response_types && '{${HYBRID}}'::text[]`);
    await allow(runner, BEFORE);
  }
}

async function allow(runner: QueryRunner, responseTypes: string): Promise<void> {
  await runner.query(`ALTER TABLE applications DROP CONSTRAINT applications_response_types`);
  await runner.query(
    `ALTER TABLE applications ADD CONSTRAINT applications_response_types CHECK (response_types <@ '{${responseTypes}}'::text[])`,
  );
}
