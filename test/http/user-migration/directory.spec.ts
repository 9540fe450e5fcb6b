import { beforeEach, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { codeRequest, redirected, TestBrowser } from '../../support/browser-flow.js';
import { BASE_DN, BIND_DN, BIND_PASSWORD, DirectoryDouble } from '../../support/directory.js';
import { given, givenRunning } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

// an old system that is a directory; what both kinds have in common is in sign-in.spec.ts

const PASSWORD = 'Marker-0ld-Passw0rd!';

const directory = givenRunning(() => DirectoryDouble.start());

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));

function settings(changes: object = {}) {
  return {
    kind: 'ldap',
    urls: [directory.ldaps],
    caCertificate: directory.authority,
    baseDn: BASE_DN,
    bindDn: BIND_DN,
    bindPassword: BIND_PASSWORD,
    userFilter: '(uid={loginName})',
    trustEmail: true,
    isActive: true,
    endsAt: new Date(Date.now() + 86_400_000).toISOString(),
    ...changes,
  };
}

beforeEach(async () => {
  directory.reset();
  await owner.call('DELETE', 'user_migration');
});

async function signIn(loginName: string, password = PASSWORD) {
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(client));
  return await browser.post('/login', { ...fields, loginName, password });
}

it('lets people come over from a directory, who are never looked up there again', async () => {
  const set = await owner.call('PUT', 'user_migration', settings());
  expect(set.statusCode, set.body).toBe(200);
  expect(set.json()).not.toHaveProperty('signingSecret');
  const attributes = { uid: 'grace', mail: 'grace@acme.test', sn: 'Hopper', entryUUID: 'one' };
  directory.users.set(`uid=grace,${BASE_DN}`, { password: PASSWORD, attributes });
  expect((await signIn('grace', 'wrong')).statusCode).toBe(400);
  expect((await signIn('nobody')).statusCode).toBe(400);
  expect(redirected(await signIn('grace')).get('code')).not.toBeNull();
  const searches = directory.searches.length;
  expect(redirected(await signIn('grace@acme.test')).get('code')).not.toBeNull();
  expect(directory.searches).toHaveLength(searches);
  const found = await owner.call('GET', 'user_migration');
  expect(found.body).not.toContain(BIND_PASSWORD);
  expect(found.json()).toMatchObject({
    userMigration: {
      kind: 'ldap',
      subjectAttribute: 'entryUUID',
      progress: { asked: '3', migrated: '1', refused: '2', failed: '0' },
    },
  });
  directory.trouble = 'busy';
  expect((await signIn('nobody')).statusCode).toBe(400);
});

describe('an entry with several names', () => {
  const names = { userFilter: '(|(uid={loginName})(mail={loginName}))', trustEmail: false };
  function person(uid: string): void {
    const attributes = { uid, mail: `${uid}@acme.test`, sn: 'Hopper', entryUUID: `entry of ${uid}` };
    directory.users.set(`uid=${uid},${BASE_DN}`, { password: PASSWORD, attributes });
  }
  const usersOf = async (uid: string) =>
    (
      await api.sql.query<{ id: string }>(
        `SELECT id FROM users WHERE org_id = $1 AND user_name LIKE $2 AND state <> 'deleted'`,
        [world.orgId, `${uid}%`],
      )
    ).rows.map(({ id }) => id);

  it('becomes one user, by whichever name they come and however many at once (S296)', async () => {
    await owner.call('PUT', 'user_migration', settings(names));
    person('linus');
    const both = await Promise.all([signIn('linus'), signIn('linus@acme.test')]);
    expect(both.filter(({ statusCode }) => statusCode === 303)).toHaveLength(1);
    expect(await usersOf('linus')).toHaveLength(1);
    const again = await Promise.all([signIn('linus'), signIn('linus@acme.test')]);
    expect(again.filter(({ statusCode }) => statusCode === 303)).toHaveLength(1);
    expect(await usersOf('linus')).toHaveLength(1);
  });

  it('has no more tries for that (S296)', async () => {
    // no time makes a difference
    await owner.call('PUT', 'policies/lockout', { maxPasswordAttempts: 5, lockDuration: '900s' });
    await owner.call('PUT', 'user_migration', settings(names));
    person('margaret');
    for (let times = 0; times < 8; times += 1) {
      await signIn(times % 2 === 0 ? 'margaret' : 'margaret@acme.test', `wrong ${times}`);
    }
    expect(directory.triedPasswords).toHaveLength(5);
    await owner.call('DELETE', 'policies/lockout');
    await api.advance(901);
    expect((await signIn('margaret')).statusCode).toBe(303);
  });

  it('comes over no more once its user is deleted, by any of its names (S498)', async () => {
    await owner.call('PUT', 'user_migration', settings(names));
    person('barbara');
    expect((await signIn('barbara')).statusCode).toBe(303);
    const [first] = await usersOf('barbara');
    expect((await owner.call('DELETE', `users/${first}`)).statusCode).toBe(200);
    for (const name of ['barbara', 'barbara@acme.test']) expect((await signIn(name)).statusCode).toBe(400);
    expect(await usersOf('barbara')).toEqual([]);
  });
});

it('has no wrong password where the directory takes none on such a connection (S298)', async () => {
  await owner.call('PUT', 'user_migration', settings());
  const attributes = { uid: 'jean', mail: 'jean@acme.test', sn: 'Bartik', entryUUID: 'jean' };
  directory.users.set(`uid=jean,${BASE_DN}`, { password: PASSWORD, attributes });
  directory.trouble = 'wants TLS of people';
  for (let times = 0; times < 8; times += 1) expect((await signIn('jean')).statusCode).toBe(400);
  expect((await owner.call('GET', 'user_migration')).json()).toMatchObject({
    userMigration: { progress: { refused: '0', failed: '8' } },
  });
  directory.trouble = undefined;
  expect(redirected(await signIn('jean')).get('code')).not.toBeNull();
});

it('keeps the password of the directory to where it was meant for', async () => {
  const { bindPassword: _, ...rest } = settings();
  const message = async (body: object) =>
    (await owner.call('PUT', 'user_migration', body)).json<{ message?: string }>().message;
  expect(await message(rest)).toContain('bindPassword is required');
  expect(await message(settings({ url: 'https://old.example.com' }))).toContain('url is not a field of ldap');
  expect(await message(settings())).toBeUndefined();
  expect(await message({ ...rest, deadlineMs: 500 })).toBeUndefined();
  expect(await message({ ...rest, bindDn: `cn=other,${BASE_DN}` })).toContain('must be given again');
  expect((await owner.call('POST', 'user_migration/_rotate_secret')).statusCode).toBe(400);
  const webhook = { kind: 'webhook', url: 'https://old.example.com', endsAt: rest.endsAt };
  expect(await message({ ...webhook, baseDn: BASE_DN })).toContain('baseDn is not a field of webhook');
  expect((await owner.call('PUT', 'user_migration', webhook)).json()).toHaveProperty('signingSecret');
});

it('takes fields of an account from attributes, and nothing else; what is read can be written again', async () => {
  const set = await owner.call(
    'PUT',
    'user_migration',
    settings({ mapping: { fields: { nickName: 'initials' } } }),
  );
  expect(set.statusCode, set.body).toBe(200);
  const { userMigration } = (await owner.call('GET', 'user_migration')).json<{
    userMigration: { mapping: object };
  }>();
  expect(userMigration.mapping).toEqual({ fields: { nickName: 'initials' } });
  const again = await owner.call('PUT', 'user_migration', settings({ mapping: userMigration.mapping }));
  expect(again.statusCode, again.body).toBe(200);
  for (const name of ['roles', 'metadata']) {
    const refused = await owner.call('PUT', 'user_migration', settings({ mapping: { [name]: [] } }));
    expect(refused.statusCode).toBe(400);
    expect(refused.json<{ message: string }>().message).toContain(name);
  }
});
