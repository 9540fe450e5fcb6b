import { describe, expect, it } from 'vitest';
import { useReplica, type TestApi } from '../../support/api.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const replica = useReplica(api);
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

const REUSED = { code: 3, message: 'this Idempotency-Key was used for another request' };
const UNDER_WAY = { code: 10, message: 'a request with this Idempotency-Key is under way' };

let counter = 0;
const freshKey = () => ({ 'idempotency-key': `key-${(counter += 1)}` });

async function count(sql: string, ...values: unknown[]): Promise<number> {
  const { rows } = await api.sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${sql}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

describe('the same key with the same content', () => {
  it('gets the first answer, also on another replica, and changes nothing more', async () => {
    const key = freshKey();
    const body = record({ hashedPassword: undefined, password: 'Marker-Passw0rd!' });
    const first = await importHuman(api, owner.pat, body, key);
    expect(first.statusCode).toBe(200);
    const { userId } = first.json<{ userId: string }>();
    for (const at of [api, replica]) {
      const again = await importHuman(at, owner.pat, body, key);
      expect(again.statusCode).toBe(200);
      expect(again.json()).toEqual(first.json());
    }
    expect(await count('users WHERE user_name = $1', body['userName'])).toBe(1);
    expect(await count('events WHERE aggregate_id = $1', userId)).toBe(1);
  });

  it('is the same however its JSON is written', async () => {
    const key = freshKey();
    const body = record();
    const first = await importHuman(api, owner.pat, body, key);
    const reversed = JSON.stringify(Object.fromEntries(Object.entries(body).toReversed()), null, 3);
    const again = await importHuman(api, owner.pat, reversed, key);
    expect(again.json()).toEqual(first.json());
  });

  it('tells a client secret again, which is sealed meanwhile', async () => {
    const key = freshKey();
    const send = (at: TestApi) =>
      owner.call(
        'POST',
        `projects/${world.projectId}/apps/oidc`,
        { name: 'Repeated', redirectUris: ['https://rp.test/cb'] },
        { headers: key, on: at },
      );
    const first = await send(api);
    const { clientSecret } = first.json<{ clientSecret: string }>();
    expect(clientSecret).toMatch(/^[A-Za-z0-9]{64}$/);
    expect((await send(replica)).json()).toEqual(first.json());
    const { rows } = await api.sql.query<{ row: string }>(
      `SELECT k::text || encode(body_sealed, 'escape') AS row FROM idempotency_keys k WHERE key = $1`,
      [key['idempotency-key']],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(clientSecret);
  });

  it('sent 30 times at once to two replicas makes one user', async () => {
    const key = freshKey();
    const body = record({ email: { email: 'once@mail.test' } });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        importHuman(index % 2 === 0 ? api : replica, owner.pat, body, key),
      ),
    );
    const created = answers.filter((answer) => answer.statusCode === 200);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(created.map((answer) => answer.body)).size).toBe(1);
    for (const answer of answers.filter((one) => one.statusCode !== 200)) {
      expect(answer.statusCode).toBe(409);
      expect(answer.json()).toEqual(UNDER_WAY);
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect(await count('users WHERE user_name = $1', body['userName'])).toBe(1);
    expect(
      await count('notifications n JOIN user_humans h USING (user_id) WHERE h.email = $1', 'once@mail.test'),
    ).toBe(1);
  });

  it('is refused with 409 while the first is under way', async () => {
    const key = freshKey();
    const body = record();
    const blocker = await api.sql.connect();
    try {
      // the first request gets as far as the user's row and waits there for this transaction
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE users IN SHARE MODE');
      const first = importHuman(api, owner.pat, body, key);
      await expect
        .poll(
          () =>
            count(
              `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                 AND query LIKE '%INSERT INTO users%'`,
            ),
          { interval: 10 },
        )
        .toBe(1);
      const second = await importHuman(replica, owner.pat, body, key);
      expect(second.statusCode).toBe(409);
      expect(second.json()).toEqual(UNDER_WAY);
      await blocker.query('ROLLBACK');
      expect((await first).statusCode).toBe(200);
      expect((await importHuman(replica, owner.pat, body, key)).json()).toEqual((await first).json());
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
  });
});

describe('the same key with other content', () => {
  it('is refused with 422', async () => {
    const key = freshKey();
    const body = record();
    await importHuman(api, owner.pat, body, key);
    for (const other of [record(), { ...body, password: 'x' }, { ...body, passwordChangeRequired: true }]) {
      const response = await importHuman(api, owner.pat, other, key);
      expect(response.statusCode).toBe(422);
      expect(response.json()).toEqual(REUSED);
    }
  });

  it('counts the path as content', async () => {
    const key = freshKey();
    const [one, other] = [await aUser(world), await aUser(world)];
    const deactivate = (id: string) => owner.call('POST', `users/${id}/_deactivate`, {}, { headers: key });
    const first = await deactivate(one.userId);
    expect(first.statusCode).toBe(200);
    expect((await deactivate(one.userId)).json()).toEqual(first.json());
    expect((await deactivate(other.userId)).statusCode).toBe(422);
  });
});

describe('the same key elsewhere', () => {
  it('is another key for another caller, organization or route', async () => {
    const key = freshKey();
    const elsewhere = await anOrganization(api);
    const root = await aServiceUser(world, 'IAM_OWNER');
    const made = [
      await importHuman(api, owner.pat, record(), key),
      await importHuman(api, root.pat, record(), key),
      await importHuman(api, root.pat, record(), { ...key, 'x-zitadel-orgid': elsewhere.orgId }),
      await owner.call('POST', 'projects', { name: 'Same key' }, { headers: key }),
    ];
    expect(made.map((response) => response.statusCode)).toEqual([200, 200, 200, 200]);
  });

  it('gives nothing to a caller whose permission is gone', async () => {
    const key = freshKey();
    const caller = await aServiceUser(world, 'ORG_OWNER');
    const body = record();
    await importHuman(api, caller.pat, body, key);
    await api.sql.query('DELETE FROM memberships WHERE user_id = $1', [caller.userId]);
    expect((await importHuman(api, caller.pat, body, key)).statusCode).toBe(403);
  });
});

describe('a request that was refused', () => {
  it('leaves no key: it may be right the next time', async () => {
    const key = freshKey();
    const body = record({ userName: 'taken-first' });
    const { userId } = (await importHuman(api, owner.pat, body)).json<{ userId: string }>();
    expect((await importHuman(api, owner.pat, body, key)).statusCode).toBe(409);
    expect(await count('idempotency_keys WHERE key = $1', key['idempotency-key'])).toBe(0);
    await api.sql.query('DELETE FROM users WHERE id = $1', [userId]);
    expect((await importHuman(api, owner.pat, body, key)).statusCode).toBe(200);
  });

  it('leaves neither key nor user when the last step before the commit fails', async () => {
    const key = freshKey();
    const body = record();
    await api.sql.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'out of luck'; END $$;
      CREATE TRIGGER fail AFTER INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION fail()`);
    try {
      expect((await importHuman(api, owner.pat, body, key)).statusCode).toBe(500);
    } finally {
      await api.sql.query('DROP TRIGGER fail ON idempotency_keys; DROP FUNCTION fail()');
    }
    expect(await count('users WHERE user_name = $1', body['userName'])).toBe(0);
    expect((await importHuman(api, owner.pat, body, key)).statusCode).toBe(200);
  });
});

it('forgets a key after 24 hours', async () => {
  const key = freshKey();
  await importHuman(api, owner.pat, record(), key);
  await api.advance(24 * 3600 - 60);
  expect((await importHuman(api, owner.pat, record(), key)).statusCode).toBe(422);
  await api.advance(120);
  expect((await importHuman(api, owner.pat, record(), key)).statusCode).toBe(200);
  expect((await importHuman(api, owner.pat, record(), key)).statusCode).toBe(422);
});

it.each([
  ['an empty key', '', 400],
  ['256 characters', 'k'.repeat(256), 400],
  ['255 characters', 'k'.repeat(255), 200],
  ['letters beyond ASCII', 'schlüssel', 400],
  ['a tab inside', 'a\tb', 400],
  ['quotes and blanks', '"a b"', 200],
])('takes keys of 1 to 255 printable ASCII characters: %s', async (_, key, status) => {
  const response = await importHuman(api, owner.pat, record(), { 'idempotency-key': key });
  expect(response.statusCode).toBe(status);
  if (status === 400) {
    expect(response.json()).toEqual({
      code: 3,
      message: 'Idempotency-Key must be 1 to 255 printable ASCII characters',
    });
  }
});
