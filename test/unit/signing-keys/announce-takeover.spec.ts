import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AlgorithmTakeover } from '../../../src/domain/signing-keys/algorithm-takeover.js';
import { AnnounceTakeover } from '../../../src/domain/signing-keys/announce-takeover.js';
import type { EnsureKeys } from '../../../src/domain/signing-keys/ensure-keys.js';
import { MOST_KEYS } from '../../../src/domain/signing-keys/key-set-capacity.js';
import type { SigningAlgorithm } from '../../../src/domain/signing-keys/signing-key.js';
import type { SigningKeysStore } from '../../../src/domain/signing-keys/signing-keys.store.js';

const MINUTE_MS = 60_000;

type Key = { chain: SigningAlgorithm; state: 'next' | 'current' | 'previous'; activatesAt: Date | null };
const current = (chain: SigningAlgorithm): Key => ({ chain, state: 'current', activatesAt: null });
const next = (at: string): Key => ({ chain: 'PS256', state: 'next', activatesAt: new Date(at) });

let keys: Key[];
let away: boolean;
let lines: object[];
let announce: AnnounceTakeover;
const ensure = vi.fn<() => void>();

beforeEach(() => {
  vi.useFakeTimers();
  keys = [current('RS256'), next('2026-05-02T10:00:00Z')];
  away = false;
  lines = [];
  ensure.mockReset();
  const schedule = { rotationSeconds: 0, leadSeconds: 86_400 };
  const now = async () => {
    if (away) throw new Error('away');
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
  announce = new AnnounceTakeover(takeover, { run } as unknown as EnsureKeys, { info } as never);
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

it('goes on where PostgreSQL was away meanwhile', async () => {
  await announce.begin();
  away = true;
  await minutes(10);
  away = false;
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

it('asks nothing any more once the process ends', async () => {
  await announce.begin();
  announce.beforeApplicationShutdown();
  await minutes(2);
  expect(vi.getTimerCount()).toBe(0);
});
