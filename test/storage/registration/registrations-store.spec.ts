import { beforeAll, describe, expect, it } from 'vitest';
import {
  RegistrationsStore,
  type NewRegistration,
} from '../../../src/domain/registration/registrations.store.js';
import type { AuthRequestId, RegistrationId } from '../../../src/domain/shared/ids.js';
import { randomToken } from '../../../src/domain/shared/random.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

let store: RegistrationsStore;

const { api, world } = useWorld();
beforeAll(async () => {
  store = api.app.get(RegistrationsStore);
});

const newCode = () => ({ id: randomToken(16), hash: Buffer.from(randomToken(32)) });

function registration(changes: Partial<NewRegistration> = {}): NewRegistration {
  const name = randomToken(6).toLowerCase();
  return {
    id: randomToken(16) as RegistrationId,
    orgId: world.orgId,
    flowId: randomToken(16) as AuthRequestId,
    email: `${name}@mail.test`,
    emailCanonical: `${name}@mail.test`,
    loginName: name,
    userName: name,
    locale: 'en',
    external: false,
    source: Buffer.from('here'),
    secrets: { passwordHash: 'hash', code: newCode() },
    ...changes,
  };
}

const add = (one: NewRegistration) => api.app.get(UnitOfWork).run((tx) => store.add(tx, one));
const end = (id: string) => api.app.get(UnitOfWork).run((tx) => store.end(tx, id));
const renew = (id: string) => api.app.get(UnitOfWork).run((tx) => store.renew(tx, id, newCode()));

async function eightTimes<T>(work: () => Promise<T | undefined>): Promise<readonly T[]> {
  const results = await Promise.all(Array.from({ length: 8 }, work));
  return results.filter((result) => result !== undefined);
}

describe('registrations of one address', () => {
  it('are mailed to whoever asks from elsewhere, though a stranger has had three, up to twelve (S393)', async () => {
    const { email, emailCanonical } = registration();
    const from = (source: string) => registration({ email, emailCanonical, source: Buffer.from(source) });
    const askedFrom = async (source: string) => await eightTimes(async () => await add(from(source)));
    expect(await askedFrom('stranger')).toHaveLength(3);
    const owner = from('home');
    expect(await add(owner)).toBeInstanceOf(Date);
    expect(await end(owner.id)).toBeDefined();
    for (const source of ['b', 'c']) expect(await askedFrom(source)).toHaveLength(3);
    expect(await askedFrom('d')).toHaveLength(2);
    expect(await askedFrom('e')).toHaveLength(0);
    await api.advance(3601);
    expect(await askedFrom('e')).toHaveLength(3);
  });

  it('are mailed three times an hour, however many come at once; the others are empty', async () => {
    const { email, emailCanonical } = registration();
    const ids: string[] = [];
    const mailed = await eightTimes(async () => {
      const one = registration({ email, emailCanonical });
      ids.push(one.id);
      return await add(one);
    });
    expect(mailed).toHaveLength(3);
    const ended = await Promise.all(ids.map(end));
    expect(ended.filter((one) => one !== undefined)).toHaveLength(3);
    await api.advance(3601);
    expect(await add(registration({ email, emailCanonical }))).toBeInstanceOf(Date);
  });
});

describe('a registration', () => {
  it('is finished once, and forgets its secrets with that', async () => {
    const one = registration();
    await add(one);
    const [ended, ...others] = await eightTimes(() => end(one.id));
    expect(others).toEqual([]);
    expect(ended).toEqual({
      orgId: one.orgId,
      email: one.email,
      loginName: one.loginName,
      locale: 'en',
      external: false,
      passwordHash: 'hash',
    });
    const { rows } = await api.sql.query(
      `SELECT password_hash, code_id, code_hash FROM registrations WHERE id = $1`,
      [one.id],
    );
    expect(rows).toEqual([{ password_hash: null, code_id: null, code_hash: null }]);
    expect(await store.find(one.id)).toMatchObject({ live: false });
  });

  it('counts five tries of any number, and none once it expired or ended', async () => {
    const one = registration();
    await add(one);
    expect(await eightTimes(() => store.takeAttempt(one.id))).toHaveLength(5);
    const [expired, ended] = [registration(), registration()];
    await add(expired);
    await api.advance(601);
    await add(ended);
    await end(ended.id);
    for (const { id } of [expired, ended]) expect(await store.takeAttempt(id)).toBeUndefined();
    expect(await end(expired.id)).toBeUndefined();
  });

  it('gets another code once a minute, twice, within the hour, with tries of its own', async () => {
    const one = registration();
    await add(one);
    expect(await renew(one.id)).toBeUndefined();
    for (let n = 0; n < 5; n += 1) await store.takeAttempt(one.id);
    await api.advance(61);
    expect(await eightTimes(() => renew(one.id))).toHaveLength(1);
    const attempt = await store.takeAttempt(one.id);
    expect(attempt?.codeHash).not.toEqual(one.secrets?.code.hash);
    await api.advance(61);
    expect(await renew(one.id)).toMatchObject({ orgId: one.orgId });
    await api.advance(61);
    expect(await renew(one.id)).toBeUndefined();
    const late = registration();
    await add(late);
    await api.advance(3601);
    expect(await renew(late.id)).toBeUndefined();
  });

  it('that is empty takes tries and resends like any other, and makes nobody', async () => {
    const one = registration({ secrets: undefined });
    expect(await add(one)).toBeInstanceOf(Date);
    expect(await store.find(one.id)).toMatchObject({ live: true, email: one.email });
    expect(await store.takeAttempt(one.id)).toMatchObject({ codeHash: undefined });
    await api.advance(61);
    expect(await renew(one.id)).toEqual({ orgId: one.orgId, expiresAt: undefined });
    expect(await end(one.id)).toBeUndefined();
  });
});

describe('names that are known already', () => {
  it('are found by user name and by verified address, in their organization only', async () => {
    const user = await aUser(world);
    const other = await anOrganization(api);
    const address = `${user.userName}@mail.test`;
    expect(await store.findKnown(world.orgId, user.userName, address)).toEqual({
      byUserName: user.userId,
      byEmail: user.userId,
    });
    expect(await store.findKnown(other.orgId, user.userName, address)).toEqual({
      byUserName: undefined,
      byEmail: undefined,
    });
  });

  it('are found by an unverified address where the user is named by it', async () => {
    const named = 'Ada@Named.test';
    const user = await aUser(world, { userName: named, email: { address: named, verified: false } });
    const unnamed = await aUser(world, { email: { address: 'free@mail.test', verified: false } });
    const key = named.toLowerCase();
    expect(await store.findKnown(world.orgId, key, key)).toEqual({
      byUserName: user.userId,
      byEmail: user.userId,
    });
    expect(await store.findKnown(world.orgId, unnamed.userName, 'nobody@mail.test')).toEqual({
      byUserName: unnamed.userId,
      byEmail: undefined,
    });
    expect((await store.findKnown(world.orgId, 'nobody', 'free@mail.test')).byEmail).toBeUndefined();
  });
});
