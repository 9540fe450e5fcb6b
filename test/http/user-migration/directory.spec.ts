import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { codeRequest, redirected, TestBrowser } from '../../support/browser-flow.js';
import { BASE_DN, BIND_DN, BIND_PASSWORD, DirectoryDouble } from '../../support/directory.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

// an old system that is a directory; what both kinds have in common is in sign-in.spec.ts

const PASSWORD = 'Marker-0ld-Passw0rd!';

let directory: DirectoryDouble;
beforeAll(async () => {
  directory = await DirectoryDouble.start();
});
afterAll(async () => {
  await directory.stop();
});

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
