import { decodeProtectedHeader } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import { KeyRing } from '../../src/domain/signing-keys/key-ring.js';
import { RotateKeys } from '../../src/domain/signing-keys/rotate-keys.js';
import { SignJwt } from '../../src/domain/tokens/jwt/sign-jwt.js';
import { useApiPerTest, useReplicaPerTest, type TestApi } from '../support/api.js';
import { eventually } from '../workers/support/eventually.js';
import { TcpProxy } from '../workers/support/tcp-proxy.js';

const api = useApiPerTest();
let postgres: TcpProxy;
let redis: TcpProxy;

beforeEach(async () => {
  // a lease is a quarter of the lead time: two seconds
  await api.sql.query(`UPDATE key_schedule SET lead_seconds = 8`);
  const { DATABASE_URL, REDIS_URL } = urls();
  postgres = await TcpProxy.before(Number(new URL(DATABASE_URL).port));
  redis = await TcpProxy.before(Number(new URL(REDIS_URL).port));
});
afterEach(() => Promise.all([postgres.stop(), redis.stop()]));
const cutOff = useReplicaPerTest(api, () => {
  const { DATABASE_URL, REDIS_URL } = urls();
  return { DATABASE_URL: postgres.urlOf(DATABASE_URL), REDIS_URL: redis.urlOf(REDIS_URL) };
});
// before the replica closes
afterEach(() => {
  postgres.mend();
  redis.mend();
});

function urls() {
  const { DATABASE_URL = '', REDIS_URL = '' } = api.environment;
  return { DATABASE_URL, REDIS_URL };
}

const sign = async (at: TestApi) => decodeProtectedHeader(await at.app.get(SignJwt).sign(() => ({}))).kid;

/** @returns the key that signs from now on */
async function replaceAndRemove(): Promise<string> {
  const old = (await sign(api)) ?? '';
  const rotate = api.app.get(RotateKeys);
  const unitOfWork = api.app.get(UnitOfWork);
  const id = await unitOfWork.run(async (tx) => await rotate.replaceAtOnce(tx, 'RS256', 'u1'));
  await unitOfWork.run(async (tx) => await rotate.remove(tx, old, 'u1'));
  api.app.get(KeyRing).forget();
  return id;
}

/** Kids that it signs with until it refuses. */
async function untilItRefuses(): Promise<Set<string | undefined>> {
  const kids = new Set<string | undefined>();
  await eventually('it refuses to sign', 30_000, async () => {
    try {
      kids.add(await sign(cutOff));
      return false;
    } catch {
      return true;
    }
  });
  return kids;
}

describe('a replica that is cut off while keys change (F35)', () => {
  it.each(['hang', 'cut'] as const)(
    'from PostgreSQL (%s): signs on its lease alone, then refuses, and goes on with the new key',
    async (how) => {
      const old = await sign(cutOff);
      postgres[how]();
      redis[how]();
      const id = await replaceAndRemove();
      // on its lease with the old key, or not at all
      for (const kid of await untilItRefuses()) expect(kid).toBe(old);
      for (let n = 0; n < 3; n += 1) await expect(sign(cutOff)).rejects.toThrow();
      postgres.mend();
      redis.mend();
      await eventually('it signs again', 30_000, async () => (await sign(cutOff).catch(() => '')) === id);
    },
  );

  it('from Redis alone: hears of it all the same, since the word comes by PostgreSQL', async () => {
    // a lease of ten seconds: it would not look by itself before that
    await api.sql.query(`UPDATE key_schedule SET lead_seconds = 86400`);
    cutOff.app.get(KeyRing).forget();
    await sign(cutOff);
    redis.hang();
    const id = await replaceAndRemove();
    await eventually('it signs with the new key', 5_000, async () => (await sign(cutOff)) === id);
  });
});
