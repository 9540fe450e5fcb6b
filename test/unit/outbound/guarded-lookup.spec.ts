import type { LookupAddress } from 'node:dns';
import { afterEach, expect, it, vi } from 'vitest';
import { guardedLookup } from '../../../src/outbound/guarded-lookup.js';

type Answer = (error: Error | null, addresses: LookupAddress[]) => void;

const asked = vi.hoisted(() => new Map<string, ((error: Error | null, addresses: object[]) => void)[]>());
vi.mock('node:dns', () => ({
  lookup: (name: string, _options: object, done: Answer) => {
    asked.set(name, [...(asked.get(name) ?? []), done as never]);
  },
}));

const ADDRESS = [{ address: '192.0.2.1', family: 4 }];

async function find(name: string): Promise<unknown> {
  return await new Promise((resolve) => {
    guardedLookup(true)(name, { all: true }, (error, found) => resolve(error ?? found));
  });
}

function answerAll(): void {
  for (const all of asked.values()) for (const done of all) done(null, ADDRESS);
  asked.clear();
}

afterEach(answerAll);

it('asks once for a name that many wait for', async () => {
  const all = Promise.all(Array.from({ length: 200 }, () => find('hooks.example')));
  expect(asked.get('hooks.example')).toHaveLength(1);
  answerAll();
  expect(new Set((await all).map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify(ADDRESS)]));
  const again = find('hooks.example');
  expect(asked.get('hooks.example')).toHaveLength(1);
  answerAll();
  expect(await again).toEqual(ADDRESS);
});

it('lets no more than so many names wait for servers that do not answer', async () => {
  const hanging = Array.from({ length: 50 }, (_, n) => find(`n${n}.example`));
  expect(await find('one-more.example')).toMatchObject({ code: 'EAI_AGAIN' });
  answerAll();
  await Promise.all(hanging);
  const later = find('one-more.example');
  answerAll();
  expect(await later).toEqual(ADDRESS);
});

it('leaves places to others where the names of one domain hang', async () => {
  const hanging = Array.from({ length: 15 }, (_, n) => find(`n${n}.evil.example`));
  expect(await find('n15.EVIL.example.')).toMatchObject({ code: 'EAI_AGAIN' });
  const others = find('keys.bank.test');
  answerAll();
  expect(await others).toEqual(ADDRESS);
  await Promise.all(hanging);
});

it('refuses a name with one bad address among good ones', async () => {
  const found = find('rebinding.example');
  for (const done of asked.get('rebinding.example') ?? [])
    done(null, [...ADDRESS, { address: '169.254.169.254', family: 4 }]);
  asked.clear();
  expect(await found).toMatchObject({ name: 'AddressRefused' });
});
