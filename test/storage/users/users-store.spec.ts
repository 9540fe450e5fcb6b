import { beforeAll, describe, expect, it } from 'vitest';
import type { OrgId, UserId } from '../../../src/domain/shared/ids.js';
import { randomToken } from '../../../src/domain/shared/random.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { UsersStore, type NewHuman } from '../../../src/domain/users/users.store.js';
import { untilSomebodyWaits } from '../../support/lock-waits.js';
import { useWorld } from '../../support/world.js';

let users: UsersStore;

const { api, world } = useWorld();
beforeAll(async () => {
  users = api.app.get(UsersStore);
});

const run = <T>(work: Parameters<UnitOfWork['run']>[0]) => api.app.get(UnitOfWork).run(work) as Promise<T>;

function human(id: UserId, name: string, changes: Partial<NewHuman> = {}): NewHuman {
  return {
    id,
    orgId: world.orgId,
    userName: name,
    state: 'active',
    profile: { firstName: 'Ada', lastName: 'Lovelace', displayName: 'Ada Lovelace' },
    email: { address: `${name}@mail.test`, verified: true },
    identifiers: [
      { kind: 'user_name', canonical: name },
      { kind: 'email', canonical: `${name}@mail.test` },
    ],
    password: { hash: `hash of ${name}`, scheme: 'test', weak: false, changeRequired: false, madeBy: null },
    ...changes,
  };
}

async function names(count: number): Promise<{ id: UserId; name: string }[]> {
  const reserved = await users.reserve(Array<null>(count).fill(null));
  return reserved.map(({ id }) => ({ id, name: `n${id}` }));
}

describe('a thousand humans in one statement', () => {
  it('come back in the order in which they were given, each with its rows', async () => {
    const people = await names(1_000);
    expect(new Set(people.map(({ id }) => id)).size).toBe(1_000);
    const created = await run<{ id: UserId; details: { sequence: string; resourceOwner: OrgId } }[]>((tx) =>
      users.addHumans(
        tx,
        people.map(({ id, name }, index) => human(id, name, index % 2 === 0 ? { password: undefined } : {})),
      ),
    );
    expect(created.map(({ id }) => id)).toEqual(people.map(({ id }) => id));
    expect(created[999]?.details).toMatchObject({ sequence: '1', resourceOwner: world.orgId });
    const ids = people.map(({ id }) => id);
    const { rows } = await api.sql.query(
      `SELECT (SELECT count(*)::int FROM user_humans WHERE user_id = ANY ($1)) AS humans,
         (SELECT count(*)::int FROM user_passwords WHERE user_id = ANY ($1)) AS passwords,
         (SELECT count(*)::int FROM login_identifiers WHERE user_id = ANY ($1)) AS identifiers`,
      [ids],
    );
    expect(rows).toEqual([{ humans: 1_000, passwords: 500, identifiers: 2_000 }]);
    const last = people[999]!;
    const { rows: hashes } = await api.sql.query('SELECT hash FROM user_passwords WHERE user_id = $1', [
      last.id,
    ]);
    expect(hashes).toEqual([{ hash: `hash of ${last.name}` }]);
  });

  it('are none of them when one name is taken', async () => {
    const people = await names(10);
    const taken = human(people[9]!.id, people[0]!.name);
    const batch = [...people.slice(0, 9).map(({ id, name }) => human(id, name)), taken];
    await expect(run((tx) => users.addHumans(tx, batch))).rejects.toMatchObject({ kind: 'already-exists' });
    expect(await users.find(world.orgId, people[0]!.id)).toBeUndefined();
  });

  it('that share names with another batch in the opposite order do not deadlock', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [await names(50), await names(50)];
      const shared = one.map(({ name }) => name);
      const results = await Promise.allSettled([
        run((tx) =>
          users.addHumans(
            tx,
            one.map(({ id }, index) => human(id, shared[index]!)),
          ),
        ),
        run((tx) =>
          users.addHumans(
            tx,
            other.map(({ id }, index) => human(id, shared[49 - index]!)),
          ),
        ),
      ]);
      const failed = results.filter((result) => result.status === 'rejected');
      expect(failed).toHaveLength(1);
      expect(failed[0]?.reason).toMatchObject({ kind: 'already-exists' });
    }
  });
});

it('keeps every claim of a human and gives it back', async () => {
  const [{ id, name }] = (await names(1)) as [{ id: UserId; name: string }];
  const profile: NewHuman['profile'] = {
    firstName: 'Ada',
    lastName: 'Lovelace',
    middleName: 'King',
    nickName: 'ada',
    displayName: 'Countess "Ada" \\ Lovelace',
    preferredLanguage: 'en-GB',
    gender: 'female',
    profile: 'https://example.test/ada',
    picture: 'https://example.test/ada.png',
    website: 'https://ada.test',
    birthdate: '1815-12-10',
    zoneinfo: 'Europe/London',
    address: {
      formatted: 'St James’s Square\nLondon',
      streetAddress: 'St James’s Square',
      locality: 'London',
      region: 'Greater London',
      postalCode: 'SW1Y',
      country: 'GB',
    },
  };
  const phone = { number: '+447911123456', verified: true };
  await run((tx) => users.addHumans(tx, [human(id, name, { profile, phone })]));
  expect(await users.find(world.orgId, id)).toMatchObject({
    id,
    orgId: world.orgId,
    userName: name,
    loginName: `${name}@${world.domain}`,
    state: 'active',
    type: 'human',
    profile,
    phone,
    email: { address: `${name}@mail.test`, verified: true },
  });
});

it('reads a user who was waited for as they are after the wait', async () => {
  const { rows } = await api.sql.query<{ id: UserId }>('SELECT user_id AS id FROM user_humans LIMIT 1');
  const [row] = rows;
  if (row === undefined) throw new Error('no human');
  const admin = await api.sql.connect();
  try {
    await admin.query('BEGIN');
    await admin.query('UPDATE users SET sequence = sequence + 1 WHERE id = $1', [row.id]);
    await admin.query(`UPDATE user_humans SET nick_name = 'Meanwhile' WHERE user_id = $1`, [row.id]);
    const locking = run((tx) => users.lockForUpdate(tx, world.orgId, row.id));
    await untilSomebodyWaits(api.sql);
    await admin.query('COMMIT');
    expect(await locking).toMatchObject({ profile: { nickName: 'Meanwhile' } });
  } finally {
    admin.release();
  }
});

it('knows the owner of a verified domain, and only of a verified one', async () => {
  const domain = `${randomToken(4).toLowerCase().replace(/[_-]/g, 'x')}.test`;
  await api.sql.query(
    `INSERT INTO organization_domains (org_id, domain, is_verified) VALUES ($1, $2, true), ($1, $3, false)`,
    [world.orgId, domain, `claimed-${domain}`],
  );
  const reserved = await users.reserve([world.domain, domain, `claimed-${domain}`, null, 'nobody.test']);
  expect(reserved.map(({ domainOwner }) => domainOwner)).toEqual([
    { orgId: world.orgId, isPrimary: true },
    { orgId: world.orgId, isPrimary: false },
    undefined,
    undefined,
    undefined,
  ]);
});
