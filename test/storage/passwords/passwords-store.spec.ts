import { beforeAll, expect, it } from 'vitest';
import { CheckPassword } from '../../../src/domain/passwords/check-password.js';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import { PasswordsStore } from '../../../src/domain/passwords/passwords.store.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { TEST_BILL } from '../../support/hashing.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

/** PBKDF2 of `password`: every match is re-hashed. */
const IMPORTED = '$pbkdf2-sha256$1000$TWFya2VyLXNhbHQtMTIzNA$7Wdqx95oWcqXyj55oZxbzrq6oiOvI6nJMYPq/OqNR/E';

let passwords: PasswordsStore;

const { api, world } = useWorld();
beforeAll(async () => {
  passwords = api.app.get(PasswordsStore);
});

async function addUser(hash: string) {
  const { userId, orgId } = await aUser(world);
  await set({ userId, orgId }, hash, true);
  return { userId, orgId };
}

type User = Pick<TestUser, 'userId' | 'orgId'>;

async function set(user: User, hash: string, changeRequired: boolean): Promise<void> {
  await api.app
    .get(UnitOfWork)
    .run((tx) =>
      passwords.set(tx, { ...user, hash, scheme: 'test', weak: true, changeRequired, madeBy: null }),
    );
}

/** The moment as text: two changes can be less than a millisecond apart, which a Date does not tell. */
async function row({ userId }: User): Promise<Record<string, unknown>> {
  const { rows } = await api.sql.query<Record<string, unknown>>(
    'SELECT hash, scheme, weak, change_required, changed_at::text FROM user_passwords WHERE user_id = $1',
    [userId],
  );
  return rows[0] ?? {};
}

it('replaces a hash that is still the one that was read, and nothing else of the row', async () => {
  const user = await addUser('old');
  const before = await row(user);
  const next = { hash: 'new', scheme: 'argon2id', weak: false };
  expect(await passwords.replaceIfUnchanged(user.userId, 'other', next)).toBe(false);
  expect(await row(user)).toEqual(before);
  expect(await passwords.replaceIfUnchanged(user.userId, 'old', next)).toBe(true);
  expect(await row(user)).toEqual({ ...before, ...next });
});

it('sets a first password and replaces a present one', async () => {
  const user = await addUser('first');
  const before = await row(user);
  await set(user, 'second', false);
  expect(await passwords.findByUser(user.userId)).toMatchObject({ hash: 'second', changeRequired: false });
  expect((await row(user))['changed_at']).not.toEqual(before['changed_at']);
});

// security S157
it('changes the password that was checked, re-hashed meanwhile or not, and no later one', async () => {
  const user = await addUser('first');
  const setAt = (await passwords.findByUser(user.userId))?.setAt ?? '';
  await passwords.replaceIfUnchanged(user.userId, 'first', { hash: 'rehashed', scheme: 'test', weak: false });
  const change = (hash: string) =>
    api.app.get(UnitOfWork).run((tx) =>
      passwords.replaceSetAt(tx, setAt, {
        ...user,
        madeBy: null,
        hash,
        scheme: 'test',
        weak: false,
        changeRequired: false,
      }),
    );
  const changes = await Promise.all(['one', 'two', 'three'].map(change));
  expect(changes.filter(Boolean)).toHaveLength(1);
  const stored = await passwords.findByUser(user.userId);
  expect(['one', 'two', 'three']).toContain(stored?.hash);
  expect(stored?.changeRequired).toBe(false);
});

// security S157
it('keeps the password that an administrator sets while first sign-ins re-hash the old one', async () => {
  const check = api.app.get(CheckPassword);
  const hashing = api.app.get(PasswordHashing);
  for (let round = 0; round < 10; round += 1) {
    const user = await addUser(IMPORTED);
    const chosen = await hashing.hash('Chosen-By-Admin-1', TEST_BILL);
    await Promise.all([
      check.check(user.userId, 'password', TEST_BILL),
      check.check(user.userId, 'password', TEST_BILL),
      set(user, chosen, false),
    ]);
    await check.settled();
    expect((await row(user))['hash']).toBe(chosen);
  }
});
