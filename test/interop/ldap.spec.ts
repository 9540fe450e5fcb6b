import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anApplication } from '../support/applications.js';
import {
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  unescapeHtml,
  whoIs,
} from '../support/browser-flow.js';
import { BASE_DN, BIND_DN, BIND_PASSWORD } from '../support/directory.js';
import { given } from '../support/given.js';
import { aServiceUser } from '../support/service-users.js';
import { useWorld } from '../support/world.js';
import { record } from './support/matrix.js';
import { Slapd } from './support/slapd.js';

// Somebody else's directory: people sign in with OpenLDAP, and come over from it.

const PASSWORD = 'Marker-0ld-Passw0rd!';
const PEOPLE = ['ada', 'grace', 'edith'].map((uid) => ({
  uid,
  givenName: uid[0]?.toUpperCase() + uid.slice(1),
  sn: 'Byron',
  password: PASSWORD,
}));

let directory: Slapd;
beforeAll(async () => {
  directory = await Slapd.start(PEOPLE);
});
afterAll(() => directory.stop());

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));

const settings = () => ({
  kind: 'ldap',
  urls: [directory.ldapsUrl],
  caCertificate: directory.authority,
  baseDn: BASE_DN,
  bindDn: BIND_DN,
  bindPassword: BIND_PASSWORD,
  userFilter: '(&(objectClass=inetOrgPerson)(|(uid={loginName})(mail={loginName})))',
  trustEmail: true,
});

beforeEach(async () => {
  await api.sql.query('DELETE FROM identity_providers');
  await owner.call('DELETE', 'user_migration');
});

describe('OpenLDAP', () => {
  it.each([
    ['TLS', () => ({})],
    ['StartTLS', () => ({ urls: [directory.ldapUrl], startTls: true })],
  ])('signs people in over %s', async (_, changes) => {
    const body = { ...settings(), name: 'Acme', allowCreation: true, ...changes() };
    const added = await owner.call('POST', 'idps', body);
    expect(added.statusCode, added.body).toBe(200);
    const { id } = added.json<{ id: string }>();
    await owner.call('POST', `idps/${id}/_activate`);
    const signIn = async (loginName: string, password: string) => {
      const browser = new TestBrowser(api);
      const { flow } = await browser.openSignIn(codeRequest(client));
      const sent = await browser.get(`/login/idps/${id}?flow=${flow}`);
      const { pathname, search } = new URL(sent.headers.location ?? '');
      const page = await browser.get(`${pathname}${search}`);
      const action = /<form method="post" action="([^"]*directory)"/.exec(page.body)?.[1] ?? '';
      return await browser.post(unescapeHtml(action), { ...hiddenFields(page.body), loginName, password });
    };
    const first = await whoIs(api, client, await signIn('ada', PASSWORD));
    expect(first).toMatchObject({
      given_name: 'Ada',
      family_name: 'Byron',
      email: 'ada@acme.test',
      email_verified: true,
    });
    expect(await whoIs(api, client, await signIn('ada@acme.test', PASSWORD))).toMatchObject({
      sub: first['sub'],
    });
    for (const [name, password] of [
      ['ada', 'wrong'],
      ['ada', ''],
      ['nobody', PASSWORD],
      ['*', PASSWORD],
    ] as const) {
      const refused = await signIn(name, password);
      expect(redirected(refused).get('code'), `${name} ${password}`).toBeNull();
    }
    await api.sql.query(`DELETE FROM users WHERE id = $1`, [first['sub']]);
  });

  it('lets people come over with their password, and is not asked again', async () => {
    const ending = new Date(Date.now() + 86_400_000).toISOString();
    const set = await owner.call('PUT', 'user_migration', { ...settings(), isActive: true, endsAt: ending });
    expect(set.statusCode, set.body).toBe(200);
    const signIn = async (loginName: string, password: string) => {
      const browser = new TestBrowser(api);
      const fields = await browser.openSignIn(codeRequest(client));
      return await browser.post('/login', { ...fields, loginName, password });
    };
    expect((await signIn('grace', 'wrong')).statusCode).toBe(400);
    expect(await whoIs(api, client, await signIn('grace', PASSWORD))).toMatchObject({ given_name: 'Grace' });
    await owner.call('DELETE', 'user_migration');
    expect(await whoIs(api, client, await signIn('grace@acme.test', PASSWORD))).toMatchObject({
      given_name: 'Grace',
    });
    await record({
      client: 'OpenLDAP (slapd)',
      version: directory.version,
      did: ['sign-in over TLS and StartTLS', 'just-in-time migration'],
    });
  });
});
