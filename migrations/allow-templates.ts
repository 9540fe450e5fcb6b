import type { QueryRunner } from 'typeorm';

const COLUMNS = { notifications: 'template', message_templates: 'type' } as const;

/**
 * Changes which templates of messages the tables take, from what their constraints say now: a migration knows its own
 * templates and none of another's.
 */
export async function allowTemplates(
  runner: QueryRunner,
  change: (before: readonly string[]) => readonly string[],
  tables: readonly (keyof typeof COLUMNS)[] = ['notifications', 'message_templates'],
): Promise<void> {
  for (const table of tables) {
    const column = COLUMNS[table];
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
