import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A mail to somebody who has deleted their account. */
export class AddDeletionNotice1795645392377 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await allowTemplates(runner, (before) => [...before, ...TEMPLATES]);
  }

  async down(runner: QueryRunner): Promise<void> {
    const list = TEMPLATES.map((template) => `'${template}'`).join(', ');
    await runner.query(`DELETE FROM notifications WHERE template IN (${list})`);
    await runner.query(`DELETE FROM message_templates WHERE type IN (${list})`);
    await allowTemplates(runner, (before) => before.filter((template) => !TEMPLATES.includes(template)));
  }
}

const TEMPLATES = ['account_deleted'];

/** From what the constraints say now: other migrations of these days add templates as well. */
async function allowTemplates(
  runner: QueryRunner,
  change: (before: readonly string[]) => readonly string[],
): Promise<void> {
  for (const [table, column] of [
    ['notifications', 'template'],
    ['message_templates', 'type'],
  ] as const) {
    const name = `${table}_${column}`;
    const found = (await runner.query(
      `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = $1`,
      [name],
    )) as { definition: string }[];
    const before = [...(found[0]?.definition ?? '').matchAll(/'(\w+)'::text/g)].map(([, word]) => word ?? '');
    const list = change(before).map((template) => `'${template}'`);
    await runner.query(`
      ALTER TABLE ${table} DROP CONSTRAINT ${name},
        ADD CONSTRAINT ${name} CHECK (${column} IN (${list.join(', ')}))`);
  }
}
