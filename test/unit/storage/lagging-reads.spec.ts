import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = 'src/storage/postgres';
/** What people look through. Whatever else a store of these does, it does by `Sql`. */
const MAY_LAG: Readonly<Record<string, readonly string[]>> = {
  'events/events.store.ts': ['search', 'namesOf'],
  'imports/export.store.ts': ['users', 'metadata', 'grants'],
  'notifications/notifications.store.ts': ['search'],
  'users/users.store.ts': ['constructor'],
};

function sources(): readonly string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
}

/** Methods of a class that name `reads`, the constructor's parameter apart. */
function methodsOf(source: string): readonly string[] {
  const methods = source.split(/^ {2}(?=(?:override |private |async |constructor)[^;]*\{?)/m).slice(1);
  return methods
    .filter((text) => /\breads\b/.test(text.replace(/^constructor\([^)]*\)/, '')))
    .map((text) => /^(?:override |private |async )*(\w+)/.exec(text)?.[1] ?? '');
}

it('only lists, the ledger, events and exports may have been read at a replica', () => {
  const having = sources().filter((file) => {
    if (['lagging-reads.ts', 'postgres.module.ts'].includes(file)) return false;
    return /LaggingReads|ReadReplica/.test(readFileSync(path.join(FOLDER, file), 'utf8'));
  });
  expect(having.filter((file) => !file.startsWith('connections/')).toSorted()).toEqual(
    Object.keys(MAY_LAG).toSorted(),
  );
  for (const [file, methods] of Object.entries(MAY_LAG)) {
    expect(methodsOf(readFileSync(path.join(FOLDER, file), 'utf8')), file).toEqual(methods);
  }
});
