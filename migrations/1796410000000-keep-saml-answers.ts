import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a provider that speaks SAML posts is checked before the browser shows that it began: it is kept until then. */
export class KeepSamlAnswers1796410000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE external_sign_ins ADD COLUMN answer jsonb, ADD COLUMN answer_hash bytea,
        ADD CONSTRAINT external_sign_ins_answer CHECK ((answer IS NULL) = (answer_hash IS NULL))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE external_sign_ins DROP CONSTRAINT external_sign_ins_answer, DROP COLUMN answer_hash, DROP COLUMN answer`,
    );
  }
}
