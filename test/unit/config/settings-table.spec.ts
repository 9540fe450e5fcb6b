import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { environment, SECRETS } from '../../../src/config/environment.js';

// People configure by the table of docs/configuration.md, so it says what the schema says.

const page = readFileSync(path.join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');
const [, section = ''] = /^## Settings\n([\s\S]*?)^## /m.exec(page) ?? [];
const schema: Readonly<Record<string, { parse(value: unknown): unknown }>> = environment.shape;

/** Defaults that depend on something, or that nobody needs to know to the letter. */
const IN_WORDS: Readonly<Record<string, string>> = {
  OPS_PORT: '`9464` (worker `9465`)',
  DATABASE_URL: 'local',
  REDIS_URL: 'local',
  MASTER_KEY: 'development key',
  PASSWORD_SLOTS: 'cores (at most 3)',
  SMS_COUNTRIES: '43 quiet ones',
  OUTBOUND_PRIVATE_ADDRESSES: '`allow` on loopback (else `refuse`)',
  WORKER_QUEUES: 'all',
  BOOTSTRAP_PRIMARY_DOMAIN: 'host of `PUBLIC_URL`',
  BOOTSTRAP_ADMIN_EMAIL: '`admin@<domain>`',
};

/** Several variables in a row have as many defaults, or one in common. */
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => {
    const [names = '', defaults = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    const each = defaults.split(', ');
    return names
      .split(', ')
      .map(
        (name, index) =>
          [name.replaceAll('`', ''), each[index] ?? (each.length === 1 ? defaults : '')] as const,
      );
  });

describe('the settings of docs/configuration.md', () => {
  it('has each variable once', () => {
    expect(rows.map(([name]) => name).toSorted()).toEqual(Object.keys(schema).toSorted());
  });

  it.each(rows)('%s is %s by default', (name, printed) => {
    const byDefault = schema[name]?.parse(undefined);
    if (name in IN_WORDS) return expect(printed).toBe(IN_WORDS[name]);
    if (printed === 'none') return expect(byDefault ?? []).toEqual([]);
    expect(printed).toMatch(/^`.+`$/);
    expect(byDefault).toEqual(schema[name]?.parse(printed.slice(1, -1)));
  });

  it('names the variables that a file can hold', () => {
    const [, listed = ''] = /The secrets\s+\(([^)]*)\)/.exec(section) ?? [];
    expect(listed.split(/,\s+/).map((name) => name.replaceAll('`', ''))).toEqual([...SECRETS]);
  });
});
