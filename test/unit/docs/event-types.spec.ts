import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../../src/domain/events/event-types.js';

const ROOT = path.join(import.meta.dirname, '../../..');

function filesIn(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8'));
}

describe('docs/events.md', () => {
  it('lists every type of event, as the code has it', () => {
    const rows = readFileSync(path.join(ROOT, 'docs/events.md'), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, type, aggregate, says] =
          /^\| `([a-z_]+(?:\.[a-z_]+)+)` +\| `([a-z_]+)` +\| (.+?) +\|$/.exec(line) ?? [];
        return type === undefined ? [] : [[type, aggregate, says]];
      });
    const known = Object.entries(EVENT_TYPES).map(([type, [aggregate, says]]) => [type, aggregate, says]);
    expect(rows).toEqual(known.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)));
  });

  it('knows the types that statements of the storage write, which no compiler sees', () => {
    // 'aggregate', id, sequence, 'type' as they stand in a SELECT for events
    const written = filesIn('src/storage').flatMap((text) =>
      /INSERT INTO events|insertEvent/.test(text)
        ? [...text.matchAll(/'([a-z_]+)', [^']{1,60}, '([a-z_]+(?:\.[a-z_]+)+)'/g)].map(([, of, type]) => [
            type,
            of,
          ])
        : [],
    );
    expect(written.length).toBeGreaterThan(12);
    const known = new Map<string, string>(Object.entries(EVENT_TYPES).map(([type, [of]]) => [type, of]));
    expect(written.filter(([type = '', of]) => known.get(type) !== of)).toEqual([]);
  });
});
