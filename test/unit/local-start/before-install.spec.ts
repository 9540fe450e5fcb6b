import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const SCRIPTS = path.join(import.meta.dirname, '../../../scripts');

/** Every module that `file` loads before its first line runs, its own included. */
function loadedAtOnce(file: string, seen = new Map<string, readonly string[]>()) {
  if (seen.has(file)) return seen;
  const imported = [
    ...readFileSync(file, 'utf8').matchAll(/^(?:import|export)\s(?:[^'"]*\sfrom\s)?['"]([^'"]+)['"]/gm),
  ].map(([, name]) => name!);
  seen.set(file, imported);
  for (const name of imported) {
    if (name.startsWith('.')) loadedAtOnce(path.join(path.dirname(file), name), seen);
  }
  return seen;
}

it.each(['start.mjs', 'test.mjs'])('scripts/%s runs in a clone that has no packages yet', (program) => {
  const modules = loadedAtOnce(path.join(SCRIPTS, program));
  expect(modules.size).toBeGreaterThan(10);
  const packages = [...modules].flatMap(([file, imported]) =>
    imported
      .filter((name) => !/^(\.|node:)/.test(name))
      .map((name) => `${path.basename(file)} imports ${name}`),
  );
  expect(packages).toEqual([]);
});
