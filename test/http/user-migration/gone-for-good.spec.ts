// SQL by hand: no answer tells what is kept of whom, nor is anybody renamed by one
import { randomUUID } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { codeRequest, redirected, TestBrowser } from '../../support/browser-flow.js';
import { given, givenRunning } from '../../support/given.js';
import { ImportEngine } from '../../support/import-engine.js';
import { OldSystemDouble } from '../../support/old-system.js';
import { aDirectory } from '../../support/scim.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// The old system goes on to know people who are deleted here, and their passwords.

const OLD_PASSWORD = 'Marker-0ld-Passw0rd!';

const old = givenRunning(() => OldSystemDouble.start());

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));
const engine = given(() => new ImportEngine(api));

beforeEach(async () => {
  old.reset();
  await owner.call('DELETE', 'user_migration');
  await migrate();
});

async function migrate(): Promise<void> {
  const set = await owner.call('PUT', 'user_migration', {
    kind: 'webhook',
    url: `${old.url}?${randomUUID()}`,
    isActive: true,
    endsAt: new Date(Date.now() + 86_400_000).toISOString(),
    requestsPerMinute: 60_000,
    // the longest: on a busy machine its answer comes late
    deadlineMs: 5_000,
  });
  expect(set.statusCode, set.body).toBe(200);
  const rotated = await owner.call('POST', 'user_migration/_rotate_secret');
  old.secret = rotated.json<{ signingSecret: string }>().signingSecret;
}

let people = 0;
/** Somebody of the old system, by user name and address. */
function oldUser(userName = `gone-${(people += 1)}`) {
  const email = `${userName}@old.test`;
  const human = {
    userName,
    profile: { firstName: 'Grace', lastName: 'Hopper' },
    email: { email, isEmailVerified: true },
  };
  for (const name of [userName, email]) old.users.set(name, { password: OLD_PASSWORD, human });
  return { userName, email, human };
}

async function signIn(loginName: string): Promise<LightMyRequestResponse> {
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(client));
  return await browser.post('/login', { ...fields, loginName, password: OLD_PASSWORD });
}

const isIn = (answered: LightMyRequestResponse): boolean =>
  answered.statusCode === 303 && redirected(answered).get('code') !== null;

async function idOf(userName: string): Promise<string> {
  const { rows } = await api.sql.query<{ id: string }>('SELECT id FROM users WHERE user_name = $1', [
    userName,
  ]);
  return rows[0]?.id ?? '';
}

describe('whoever came over and is deleted (S498)', () => {
  it('by a manager does not come back with the old password, by whichever name', async () => {
    const { userName, email } = oldUser();
    expect(isIn(await signIn(userName))).toBe(true);
    expect((await owner.call('DELETE', `users/${await idOf(userName)}`)).statusCode).toBe(200);
    const { length } = old.asked;
    for (const name of [userName, email, `${userName}@${world.domain}`]) {
      expect((await signIn(name)).statusCode).toBe(400);
    }
    expect(old.asked).toHaveLength(length);
    expect(await idOf(userName)).toBe('');
  });

  it('by SCIM does not either', async () => {
    const { userName } = oldUser();
    expect(isIn(await signIn(userName))).toBe(true);
    const directory = await aDirectory(world);
    const id = await idOf(userName);
    expect((await directory.call('DELETE', `Users/${id}`)).statusCode).toBe(204);
    expect((await signIn(userName)).statusCode).toBe(400);
  });

  it('comes over once more when somebody adds them here without a password', async () => {
    const { userName, human } = oldUser();
    expect(isIn(await signIn(userName))).toBe(true);
    await owner.call('DELETE', `users/${await idOf(userName)}`);
    expect((await signIn(userName)).statusCode).toBe(400);
    const added = await owner.call('POST', 'users/human/_import', human);
    expect(added.statusCode, added.body).toBe(200);
    expect(isIn(await signIn(userName))).toBe(true);
  });

  it('is nobody again when the migration is removed: only fingerprints were kept, and they are gone', async () => {
    const { userName } = oldUser();
    expect(isIn(await signIn(userName))).toBe(true);
    await owner.call('DELETE', `users/${await idOf(userName)}`);
    const kept = async () => {
      const { rows } = await api.sql.query<{ found: string }>(
        'SELECT t::text AS found FROM user_migration_names t WHERE org_id = $1',
        [world.orgId],
      );
      return rows.map(({ found }) => found);
    };
    expect(await kept()).not.toEqual([]);
    expect((await kept()).join()).not.toContain(userName);
    await owner.call('DELETE', 'user_migration');
    expect(await kept()).toEqual([]);
  });
});

describe('a name that is nobody’s any more (S498)', () => {
  it('is not asked about where its user had never come over', async () => {
    const { userName } = await aUser(world);
    oldUser(userName);
    await owner.call('DELETE', `users/${await idOf(userName)}`);
    expect((await signIn(userName)).statusCode).toBe(400);
    expect(old.asked).toEqual([]);
  });

  async function renamed(userName: string): Promise<void> {
    const id = await idOf(userName);
    const answered = await owner.call('PUT', `users/${id}/username`, { userName: `${userName}-new` });
    expect(answered.statusCode, answered.body).toBe(200);
  }

  it('that somebody had by mistake lets its owner come over once a manager adds them without a password', async () => {
    const { userName, human } = oldUser();
    const { userName: before } = await aUser(world);
    const id = await idOf(before);
    for (const name of [userName, before]) {
      expect((await owner.call('PUT', `users/${id}/username`, { userName: name })).statusCode).toBe(200);
    }
    // nobody can tell here whether they are that user or somebody else
    expect((await signIn(userName)).statusCode).toBe(400);
    expect(old.asked).toEqual([]);
    expect((await owner.call('POST', 'users/human/_import', human)).statusCode).toBe(200);
    expect(isIn(await signIn(userName))).toBe(true);
    expect(await idOf(userName)).not.toBe(id);
    expect(await idOf(before)).toBe(id);
  });

  it('makes no second user of one who was here without a password, came over and is renamed (S375)', async () => {
    const { userName, human } = oldUser();
    await owner.call('POST', 'users/human/_import', human);
    expect(isIn(await signIn(userName))).toBe(true);
    await renamed(userName);
    const { length } = old.asked;
    expect((await signIn(userName)).statusCode).toBe(400);
    expect(old.asked).toHaveLength(length);
    expect(await idOf(userName)).toBe('');
  });

  it('makes no second user of one who is renamed or given another address before they come over (S375)', async () => {
    const { userName, email, human } = oldUser();
    await owner.call('POST', 'users/human/_import', human);
    const other = { email: `other-${email}`, isEmailVerified: true };
    expect((await owner.call('PUT', `users/${await idOf(userName)}/email`, other)).statusCode).toBe(200);
    await renamed(userName);
    for (const name of [userName, email]) expect((await signIn(name)).statusCode).toBe(400);
    expect(old.asked).toEqual([]);
  });

  it('makes no second user of one whom an import calls otherwise, or gives another address (S375)', async () => {
    const { userName, email, human } = oldUser();
    const options = { mode: 'upsert' } as const;
    const userId = `imported-${userName}`;
    await engine.import(world.orgId, owner.userId, [{ ...human, userId }], options);
    const changed = {
      ...human,
      userId,
      userName: `${userName}-new`,
      email: { ...human.email, email: `new-${email}` },
    };
    const job = await engine.import(world.orgId, owner.userId, [changed], options);
    expect(job.counts).toMatchObject({ updated: 1 });
    for (const name of [userName, `${userName}@${world.domain}`, email]) {
      expect((await signIn(name)).statusCode).toBe(400);
    }
    expect(old.asked).toEqual([]);
    expect(await idOf(userName)).toBe('');
    // by the names of now they come over
    old.users.set(`${userName}-new`, {
      password: OLD_PASSWORD,
      human: { ...human, userName: `${userName}-new` },
    });
    expect(isIn(await signIn(`${userName}-new`))).toBe(true);
  });

  it('makes no second user of one whose login name ended with another domain, and keeps nobody else out (S375)', async () => {
    const domain = `${randomUUID()}.test`;
    const root = await aServiceUser(world, 'IAM_OWNER');
    const added = await root.call('POST', 'orgs/me/domains', { domain });
    expect(added.statusCode, added.body).toBe(200);
    const { userName, human } = oldUser();
    const other = oldUser();
    const [former, full] = [userName, other.userName].map((name) => `${name}@${world.domain}`) as [
      string,
      string,
    ];
    // the old system knows people by the whole name
    old.users.set(former, { password: OLD_PASSWORD, human: { ...oldUser().human, userName: former } });
    await owner.call('POST', 'users/human/_import', human);
    const primary = async (name: string) => await owner.call('POST', `orgs/me/domains/${name}/_set_primary`);
    expect((await primary(domain)).statusCode).toBe(200);
    try {
      for (const name of [former, `${userName}@${domain}@${world.domain}`]) {
        expect((await signIn(name)).statusCode).toBe(400);
      }
      expect(old.asked).toEqual([]);
      expect(await idOf(former)).toBe('');
      // a name that nobody had
      old.users.set(full, {
        password: OLD_PASSWORD,
        human: { ...other.human, email: { ...other.human.email, email: full } },
      });
      expect(isIn(await signIn(full))).toBe(true);
      await owner.call('DELETE', `users/${await idOf(other.userName)}`);
      expect((await signIn(full)).statusCode).toBe(400);
    } finally {
      expect((await primary(world.domain)).statusCode).toBe(200);
    }
  });

  it('makes no second user once the one who came over by it is called otherwise', async () => {
    const { userName } = oldUser();
    expect(isIn(await signIn(userName))).toBe(true);
    const id = await idOf(userName);
    await api.sql.query(
      `UPDATE login_identifiers SET canonical = $2 WHERE user_id = $1 AND kind = 'user_name'`,
      [id, `${userName}-new`],
    );
    await api.sql.query('UPDATE users SET user_name = $2 WHERE id = $1', [id, `${userName}-new`]);
    expect((await signIn(userName)).statusCode).toBe(400);
    expect(old.asked).toHaveLength(1);
  });
});
