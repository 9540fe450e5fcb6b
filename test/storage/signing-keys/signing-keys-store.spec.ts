// SQL by hand: as many readers and grants as counting stops at
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomToken } from '../../../src/domain/shared/random.js';
import type { Tx } from '../../../src/domain/shared/unit-of-work.js';
import type { NewSigningKey, SigningKeyState } from '../../../src/domain/signing-keys/signing-key.js';
import { PgSigningKeysStore } from '../../../src/storage/postgres/signing-keys/signing-keys.store.js';
import { uniqueViolation } from '../../../src/storage/postgres/sql.js';
import { Seed } from '../authorizations/seed.js';

let seed: Seed;
let store: PgSigningKeysStore;
let dataKeyId: number;

beforeAll(async () => {
  seed = await Seed.open();
  store = new PgSigningKeysStore(seed.sql);
  dataKeyId = await seed.value(
    `INSERT INTO data_keys (wrapped, master_key_id) VALUES ('\\x00', 'm') RETURNING id`,
  );
});
afterAll(() => seed.close());

function key(state: SigningKeyState, algorithm: NewSigningKey['algorithm'] = 'RS256'): NewSigningKey {
  const kid = randomToken(16);
  return {
    kid,
    algorithm,
    state,
    publicJwk: { kty: 'RSA', kid, alg: algorithm, use: 'sig' },
    activatesAt: null,
    byEmergency: false,
    privateSealed: Buffer.from('sealed'),
    dataKeyId,
  };
}

const add = (one: NewSigningKey) => seed.unitOfWork.run((tx) => store.add(tx, one));
const constraintOf = (work: Promise<unknown>) => work.then(() => 'added', uniqueViolation);

describe('signing keys', () => {
  it('are one current and one next for each algorithm', async () => {
    await add(key('current'));
    await add(key('next'));
    await add(key('current', 'ES256'));
    expect(await constraintOf(add(key('current')))).toBe('signing_keys_one_current');
    expect(await constraintOf(add(key('next')))).toBe('signing_keys_one_next');
    expect(await constraintOf(add(key('previous')))).toBe('added');
  });

  it('are published until they are gone, and verify hints after that', async () => {
    const gone = key('previous');
    await add(gone);
    const kids = async () => (await store.listPublished()).map((one) => one.kid);
    expect(await kids()).toContain(gone.kid);
    await seed.pool.query(`UPDATE signing_keys SET state = 'gone' WHERE kid = $1`, [gone.kid]);
    expect(await kids()).not.toContain(gone.kid);
    expect(await store.findPublic(gone.kid)).toMatchObject({ kid: gone.kid, state: 'gone' });
  });

  it('sign by the current key of each algorithm', async () => {
    await seed.pool.query(`DELETE FROM signing_keys`);
    await Promise.all([add(key('current')), add(key('current', 'ES256')), add(key('next'))]);
    expect((await store.listCurrentPrivate()).map(({ algorithm }) => algorithm).toSorted()).toEqual([
      'ES256',
      'RS256',
    ]);
  });
});

describe('the lock', () => {
  it('lets one transaction after the other change keys', async () => {
    let inside = 0;
    let most = 0;
    const work = async (tx: Tx): Promise<void> => {
      await store.lock(tx);
      inside += 1;
      most = Math.max(most, inside);
      await store.listPublished(tx);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 6 }, () => seed.unitOfWork.run(work)));
    expect(most).toBe(1);
  });
});

describe('token keys', () => {
  it('come newest first, without those that are gone', async () => {
    const ids: number[] = [];
    for (const state of ['gone', 'previous', 'current'] as const) {
      await seed.unitOfWork.run(async (tx) => {
        const id = await store.reserveTokenKeyId(tx);
        await store.addTokenKey(tx, {
          id,
          state,
          sealed: Buffer.from('sealed'),
          dataKeyId,
          activatesAt: null,
          byEmergency: false,
        });
        ids.push(id);
      });
    }
    expect((await store.listTokenKeys()).map((one) => one.id)).toEqual([ids[2], ids[1]]);
  });
});

describe('counts of whom a change of keys touches', () => {
  const page = { offset: 0, limit: 1, ascending: true };

  it('say where there may be more readers than are remembered', async () => {
    const insert = (from: number, to: number) =>
      seed.pool.query(
        `INSERT INTO key_set_readers (reader, reads) SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), 1 FROM generate_series($1::int, $2::int) n`,
        [from, to],
      );
    await insert(1, 9_999);
    expect(await store.affected()).toMatchObject({ keySetReaders: 9_999, hasMoreKeySetReaders: false });
    expect((await store.listKeySetReaders(page)).hasMoreThanTotal).toBeUndefined();
    await insert(10_000, 10_000);
    expect(await store.affected()).toMatchObject({ keySetReaders: 10_000, hasMoreKeySetReaders: true });
    expect(await store.listKeySetReaders(page)).toMatchObject({ total: 10_000, hasMoreThanTotal: true });
  });

  it('say where there are more grants than are counted', async () => {
    const orgId = await seed.organization();
    const application = await seed.application(orgId, await seed.project(orgId));
    const insert = (count: number) =>
      seed.pool.query(
        `INSERT INTO authorizations (id, org_id, application_id, user_id, scopes, audience, amr, auth_time, subject_epoch)
         SELECT gen_random_uuid()::text, $1, $2, $3, '{}', '{}', '{}', now(), 0 FROM generate_series(1, $4::int)`,
        [orgId, application, userId, count],
      );
    const userId = await seed.user(orgId);
    await insert(100_000);
    const counted = { grants: 100_000, applications: 1 };
    expect(await store.affected()).toMatchObject({ ...counted, hasMoreGrants: false });
    await insert(1);
    expect(await store.affected()).toMatchObject({ ...counted, hasMoreGrants: true });
    const { items } = await store.listAffectedApplications(page);
    expect(items).toMatchObject([{ id: application, grants: 100_000, hasMoreGrants: true }]);
  }, 60_000);
});
