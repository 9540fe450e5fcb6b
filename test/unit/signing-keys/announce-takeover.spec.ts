import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AlgorithmTakeover } from '../../../src/domain/signing-keys/algorithm-takeover.js';
import { AnnounceTakeover } from '../../../src/domain/signing-keys/announce-takeover.js';
import type { EnsureKeys } from '../../../src/domain/signing-keys/ensure-keys.js';
import { MOST_KEYS } from '../../../src/domain/signing-keys/key-set-capacity.js';
import type { SigningAlgorithm } from '../../../src/domain/signing-keys/signing-key.js';
import type { SigningKeysStore } from '../../../src/domain/signing-keys/signing-keys.store.js';
import { DatabaseAway } from '../../../src/storage/postgres/sql.js';

const MINUTE_MS = 60_000;

type Key = { chain: SigningAlgorithm; state: 'next' | 'current' | 'previous'; activatesAt: Date | null };
const current = (chain: SigningAlgorithm): Key => ({ chain, state: 'current', activatesAt: null });
const next = (at: string): Key => ({ chain: 'PS256', state: 'next', activatesAt: new Date(at) });

let keys: Key[];
let failure: Error | undefined;
let lines: object[];
let errors: unknown[];
let announce: AnnounceTakeover;
const ensure = vi.fn<() => void>();

beforeEach(() => {
  vi.useFakeTimers();
  keys = [current('RS256'), next('2026-05-02T10:00:00Z')];
  failure = undefined;
  lines = [];
  errors = [];
  ensure.mockReset();
  const schedule = { rotationSeconds: 0, leadSeconds: 86_400 };
  const now = async () => {
    if (failure !== undefined) throw failure;
    return await Promise.resolve({ now: new Date(), schedule, keys });
  };
  const takeover = new AlgorithmTakeover({ now } as unknown as SigningKeysStore, {
    algorithm: 'PS256',
    leaseMs: 10_000,
  });
  const run = async () => {
    ensure();
    await Promise.resolve();
  };
  const info = (message: string, fields: object) => void lines.push({ message, ...fields });
  const error = (_message: string, thrown: unknown) => void errors.push(thrown);
  announce = new AnnounceTakeover(takeover, { run } as unknown as EnsureKeys, { info, error } as never);
});
afterEach(() => {
  announce.beforeApplicationShutdown();
  vi.useRealTimers();
});

const LATER = 'SIGNING_ALG takes effect later';
const both = { message: LATER, algorithm: 'PS256', signing: 'RS256' };
const minutes = async (count: number) => await vi.advanceTimersByTimeAsync(count * MINUTE_MS);

it('says at the start when SIGNING_ALG takes effect, once more when that has changed, and when it has', async () => {
  await announce.begin();
  expect(lines).toEqual([{ ...both, takesEffectAt: '2026-05-02T10:00:00.000Z' }]);
  await minutes(60);
  expect(lines).toHaveLength(1);
  keys = [current('RS256'), next('2026-05-02T18:00:00Z')];
  await minutes(1);
  expect(lines.slice(1)).toEqual([{ ...both, takesEffectAt: '2026-05-02T18:00:00.000Z' }]);
  keys = [current('RS256'), current('PS256')];
  await minutes(1);
  expect(lines.slice(2)).toEqual([{ message: 'SIGNING_ALG has taken effect' }]);
  expect(vi.getTimerCount()).toBe(0);
});

it('says nothing where it signs already, and on a database without keys', async () => {
  for (const there of [[], [current('RS256'), current('PS256')]]) {
    keys = there;
    await announce.begin();
    await minutes(10);
  }
  expect(lines).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  ['without a word where PostgreSQL was away meanwhile', new DatabaseAway(new Error('gone')), 0],
  ['after any other error, which it logs each time', new Error('a fault'), 10],
])('goes on %s', async (_case, thrown, logged) => {
  await announce.begin();
  failure = thrown;
  await minutes(10);
  expect(errors).toEqual(Array.from({ length: logged }, () => thrown));
  failure = undefined;
  keys = [current('RS256'), current('PS256')];
  await minutes(1);
  expect(lines).toHaveLength(2);
});

it('has the key made once a full set has room for it', async () => {
  keys = [
    current('RS256'),
    ...Array.from({ length: MOST_KEYS - 1 }, () => ({ ...current('RS256'), state: 'previous' as const })),
  ];
  await announce.begin();
  await minutes(10);
  expect(ensure).not.toHaveBeenCalled();
  expect(lines).toEqual([{ ...both, takesEffectAt: undefined }]);
  keys = keys.slice(0, -1);
  ensure.mockImplementation(() => {
    keys = [...keys, next('2026-05-03T10:00:00Z')];
  });
  await minutes(1);
  expect(ensure).toHaveBeenCalledTimes(1);
  expect(lines.slice(1)).toEqual([{ ...both, takesEffectAt: '2026-05-03T10:00:00.000Z' }]);
});

it('makes no key again that somebody removed while it waited', async () => {
  await announce.begin();
  keys = [current('RS256')];
  await minutes(10);
  expect(ensure).not.toHaveBeenCalled();
  expect(lines.slice(1)).toEqual([{ ...both, takesEffectAt: undefined }]);
});

it('asks nothing any more once the process ends', async () => {
  await announce.begin();
  announce.beforeApplicationShutdown();
  await minutes(2);
  expect(vi.getTimerCount()).toBe(0);
});
