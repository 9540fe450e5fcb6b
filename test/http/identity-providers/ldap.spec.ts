import { randomUUID } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { LdapDirectory } from '../../../src/domain/identity-providers/ldap/ldap-directory.js';
import { anApplication } from '../../support/applications.js';
import {
  aSignedInBrowser,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  unescapeHtml,
  whoIs,
} from '../../support/browser-flow.js';
import {
  BASE_DN,
  BIND_DN,
  BIND_PASSWORD,
  DirectoryDouble,
  type DirectoryUser,
} from '../../support/directory.js';
import { given, givenRunning } from '../../support/given.js';
import { anIdentityProvider } from '../../support/identity-providers.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const directory = givenRunning(() => DirectoryDouble.start());

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_MAIL: '1000' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const client = given(() => anApplication(world));

const PASSWORD = 'a password of the directory';

function settings(changes: object = {}) {
  return {
    kind: 'ldap',
    name: 'Acme accounts',
    urls: [directory.ldaps],
    caCertificate: directory.authority,
    baseDn: BASE_DN,
    bindDn: BIND_DN,
    bindPassword: BIND_PASSWORD,
    userFilter: '(&(objectClass=person)(|(uid={loginName})(mail={loginName})))',
    trustEmail: true,
    allowCreation: true,
    ...changes,
  };
}

async function addDirectory(changes: object = {}): Promise<string> {
  return (await anIdentityProvider(owner, settings(changes))).id;
}

beforeEach(async () => {
  directory.reset();
  await api.sql.query('DELETE FROM identity_providers');
});

let people = 0;
function person(changes: DirectoryUser['attributes'] = {}): { readonly uid: string; readonly dn: string } {
  people += 1;
  const uid = `grace${people}`;
  const dn = `uid=${uid},${BASE_DN}`;
  directory.users.set(dn, {
    password: PASSWORD,
    attributes: {
      uid,
      mail: `${uid}@acme.test`,
      givenName: 'Grace',
      sn: 'Hopper',
      displayName: 'Grace Hopper',
      entryUUID: randomUUID(),
      ...changes,
    },
  });
  return { uid, dn };
}

/** From the sign-in page to the form of the directory. */
async function openForm(browser: TestBrowser, id: string): Promise<LightMyRequestResponse> {
  const fields = await browser.openSignIn(codeRequest(client));
  const sent = await browser.get(`/login/idps/${id}?flow=${fields['flow']}`);
  expect(sent.statusCode).toBe(302);
  const { pathname, search } = new URL(sent.headers.location ?? '');
  return await browser.get(`${pathname}${search}`);
}

async function submit(
  browser: TestBrowser,
  page: LightMyRequestResponse,
  loginName: string,
  password = PASSWORD,
): Promise<LightMyRequestResponse> {
  const action = unescapeHtml(/<form method="post" action="([^"]*directory)"/.exec(page.body)?.[1] ?? '');
  return await browser.post(action, { ...hiddenFields(page.body), loginName, password });
}

async function signIn(
  id: string,
  loginName: string,
  password = PASSWORD,
  browser = new TestBrowser(api),
): Promise<LightMyRequestResponse> {
  return await submit(browser, await openForm(browser, id), loginName, password);
}

describe('signing in with a directory', () => {
  it('has a button that leads to a form with its name, and makes an account at the first sign-in', async () => {
    const id = await addDirectory({ updateOnSignIn: true });
    const { uid } = person();
    const browser = new TestBrowser(api);
    const page = await openForm(browser, id);
    expect(page.body).toContain('Acme accounts');
    const first = await whoIs(api, client, await submit(browser, page, uid));
    expect(first).toMatchObject({
      given_name: 'Grace',
      family_name: 'Hopper',
      email: `${uid}@acme.test`,
      email_verified: true,
    });
    expect(await whoIs(api, client, await signIn(id, `${uid}@acme.test`))).toMatchObject({
      sub: first['sub'],
    });
    // it is kept, and looked people up with, by the service account
    expect(directory.binds.filter(({ dn }) => dn === BIND_DN).length).toBeGreaterThan(0);
  });

  it.each([
    ['TLS', () => ({})],
    ['StartTLS', () => ({ urls: [directory.ldapWithStartTls], startTls: true })],
    ['nothing, on this host', () => ({ urls: [directory.ldap] })],
    [
      'the second server, where the first does not answer',
      () => ({ urls: ['ldaps://localhost:9', directory.ldaps] }),
    ],
  ])('works over %s', async (_, changes) => {
    const id = await addDirectory(changes());
    expect(await whoIs(api, client, await signIn(id, person().uid))).toMatchObject({ given_name: 'Grace' });
  });

  const UNREACHABLE: readonly (readonly [string, () => object, DirectoryDouble['startTls']])[] = [
    ['another authority signed its certificate', () => ({ caCertificate: undefined }), 'works'],
    ['StartTLS is refused', () => ({ urls: [directory.ldapWithStartTls], startTls: true }), 'refused'],
    [
      'somebody answers more than was asked before TLS stands',
      () => ({ urls: [directory.ldapWithStartTls], startTls: true }),
      'with more behind it',
    ],
    ['the service account is refused', () => ({ bindPassword: 'another' }), 'works'],
    ['nobody answers', () => ({ urls: ['ldaps://localhost:9'] }), 'works'],
    ['the filter is none', () => ({ userFilter: '(&(!(uid={loginName}))(=))' }), 'works'],
  ];
  it.each(UNREACHABLE)(
    'says that it does not answer where %s, and shows it no password',
    async (_, changes, startTls) => {
      directory.startTls = startTls;
      const id = await addDirectory(changes());
      const page = await signIn(id, person().uid);
      expect(page.body).toContain('The other service does not answer');
      expect(directory.triedPasswords).toEqual([]);
    },
  );

  it('says so as well where it does not answer in time', async () => {
    directory.trouble = 'silent';
    // as long as a good answer may take on a busy machine
    const id = await addDirectory({ timeoutMs: 3_000 });
    expect((await signIn(id, person().uid)).body).toContain('The other service does not answer');
    directory.trouble = undefined;
    expect(redirected(await signIn(id, person().uid)).get('code')).not.toBeNull();
  });

  it('loses no connection for good to a directory that is slow to bind', async () => {
    const { uid } = person();
    const access = {
      key: 'slow',
      settings: {
        urls: [directory.ldaps],
        startTls: false,
        caCertificate: directory.authority,
        baseDn: BASE_DN,
        bindDn: BIND_DN,
        userFilter: '(uid={loginName})',
        subjectAttribute: 'entryUUID',
        trustEmail: false,
        timeoutMs: 5_000,
        requiredClaims: {},
      },
      bindPassword: BIND_PASSWORD,
      attributes: [],
    };
    const signInBy = async (deadline: AbortSignal) =>
      await api.app
        .get(LdapDirectory, { strict: false })
        .signIn({ ...access, deadline }, { loginName: uid, password: PASSWORD }, () => Promise.resolve(true));
    const binds = () => directory.binds.filter(({ dn }) => dn === BIND_DN).length;
    directory.trouble = 'slow to bind';
    // more than there are connections
    for (let times = 1; times <= 10; times += 1) {
      const time = new AbortController();
      const signingIn = signInBy(time.signal);
      // looked at below
      signingIn.catch(() => undefined);
      // its time is over once it is bound, however long it took to get there
      await expect.poll(binds, { interval: 10 }).toBe(times);
      time.abort();
      await expect(signingIn).rejects.toThrow('it took too long');
    }
    directory.trouble = undefined;
    expect(await signInBy(AbortSignal.timeout(60_000))).toMatchObject({ kind: 'identity' });
    // each was bound once, and the last one again for whoever comes next
    await expect.poll(binds).toBe(12);
  });

  it('leaves a directory alone that failed several times in a row', async () => {
    const id = await addDirectory({ bindPassword: 'another' });
    const { uid } = person();
    for (let times = 0; times < 7; times += 1) await signIn(id, uid);
    expect(directory.binds).toHaveLength(5);
  });

  it('is where people with an address of a verified domain are led, with their name', async () => {
    const id = await addDirectory({ homeRealm: true });
    const { uid } = person({ mail: `x@${world.domain}` });
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const sent = await browser.post('/login', { ...fields, loginName: `x@${world.domain}`, password: '' });
    const way = unescapeHtml(/id="send-on" href="([^"]*)"/.exec(sent.body)?.[1] ?? '');
    expect(way).toContain(`/login/idps/${id}?hint=`);
    const { pathname, search } = new URL((await browser.get(way)).headers.location ?? '');
    const page = await browser.get(`${pathname}${search}`);
    expect(page.body).toContain(`value="x@${world.domain}"`);
    expect(await whoIs(api, client, await submit(browser, page, uid))).toMatchObject({ given_name: 'Grace' });
  });

  it('gives roles and metadata by the mapping', async () => {
    const { projectId } = world;
    await owner.call('POST', `projects/${projectId}/roles`, { roleKey: 'admin', displayName: 'Admin' });
    const group = `cn=admins,${BASE_DN}`;
    const id = await addDirectory({
      mapping: {
        fields: { nickName: 'uid' },
        roles: [{ claim: 'memberOf', value: group, projectId, roleKey: 'admin' }],
        metadata: [{ claim: 'departmentNumber', key: 'department' }],
      },
    });
    const { uid } = person({ memberof: [`cn=all,${BASE_DN}`, group], departmentnumber: '42' });
    const user = await whoIs(api, client, await signIn(id, uid));
    expect(user).toMatchObject({ nickname: uid });
    const grants = (await owner.call('POST', `users/${String(user['sub'])}/grants/_search`)).json<{
      result?: { roleKeys: string[] }[];
    }>();
    expect(grants.result?.map(({ roleKeys }) => roleKeys)).toEqual([['admin']]);
    const metadata = await owner.call('GET', `users/${String(user['sub'])}/metadata/department`);
    expect(metadata.json()).toMatchObject({ metadata: { value: Buffer.from('42').toString('base64') } });
  });

  it('knows people by bytes as well, and tells those apart that are no text', async () => {
    const id = await addDirectory({ subjectAttribute: 'objectGUID' });
    const [one, other] = [0xff, 0xfe].map((first) => person({ objectGUID: Buffer.alloc(16, first) }));
    const first = await whoIs(api, client, await signIn(id, one?.uid ?? ''));
    const second = await whoIs(api, client, await signIn(id, other?.uid ?? ''));
    expect(first['sub']).not.toBe(second['sub']);
    const { rows } = await api.sql.query<{ subject: string }>(
      'SELECT subject FROM user_identities ORDER BY 1',
    );
    expect(rows.map(({ subject }) => subject)).toEqual(['fe'.repeat(16), 'ff'.repeat(16)]);
  });

  it('proves an address by a code where the directory is not trusted with it', async () => {
    const id = await addDirectory({ trustEmail: false });
    const answered = await signIn(id, person().uid);
    expect(answered.headers.location).toContain('/register/verify?id=');
  });

  it('adds the identity to the account of somebody who is signed in', async () => {
    const id = await addDirectory();
    const { uid } = person();
    const user = await aUser(world);
    const browser = await aSignedInBrowser(api, client, user);
    const account = await browser.get('/account/security/identities');
    const fields = hiddenFields(account.body);
    const sent = await browser.post('/account/security/identities/connect', { ...fields, target: id });
    const way = unescapeHtml(/id="send-on" href="([^"]*)"/.exec(sent.body)?.[1] ?? '');
    const { pathname, search } = new URL(way);
    const page = await browser.get(`${pathname}${search}`);
    expect((await submit(browser, page, uid, 'wrong')).statusCode).toBe(400);
    const done = await submit(browser, page, uid);
    expect(done.headers.location).toBe('/account/security/identities?done=identityAdded');
    expect(await whoIs(api, client, await signIn(id, uid))).toMatchObject({ sub: user.userId });
  });
});

describe('whoever a directory does not let in', () => {
  it.each([
    ['nobody has the name', () => ['nobody-at-all', PASSWORD]],
    ['the password is wrong', () => [person().uid, 'wrong']],
    [
      'the name is several people’s',
      () => {
        person({ uid: 'twins' });
        person({ uid: 'twins' });
        return ['twins', PASSWORD];
      },
    ],
    ['the account is disabled', () => [person({ userAccountControl: '514' }).uid, PASSWORD]],
  ])('is told the same where %s', async (_, credentials) => {
    const id = await addDirectory();
    const [loginName = '', password = ''] = credentials();
    const page = await signIn(id, loginName, password);
    expect(page.statusCode).toBe(400);
    expect(page.body).toContain(', user name or password.');
    expect(page.body).not.toContain(password);
  });

  it('tries no empty password, which a directory takes for nobody’s', async () => {
    const id = await addDirectory();
    const { uid } = person();
    expect((await signIn(id, uid, '')).body).toContain('Enter your password');
    expect(directory.triedPasswords).toEqual([]);
  });

  it.each(['*', 'a)(uid=*', 'grace*', '*)(|(objectClass=*', '\\2a', 'x\u0000', '))', 'é)('])(
    'types no syntax: %j',
    async (loginName) => {
      const id = await addDirectory();
      person();
      const page = await signIn(id, loginName);
      expect(page.statusCode).toBe(400);
      expect(directory.triedPasswords).toEqual([]);
      for (const search of directory.searches) expect(search).toContain('(&(objectClass=person)(|(uid=');
    },
  );

  it('sends such characters of a name as its value', async () => {
    await signIn(await addDirectory(), 'o*brien (ops)');
    expect(directory.searches.at(-1)).toContain('(uid=o\\2abrien \\28ops\\29)');
  });

  it('is not looked for at another server that the directory names, which learns no password (S509)', async () => {
    const other = await DirectoryDouble.start();
    try {
      const id = await addDirectory();
      const url = `${other.ldap}/${BASE_DN}`;
      const { uid, dn } = person();
      const known = directory.users.get(dn);
      directory.refersTo = { url, how: 'beside' };
      // Active Directory sends such references along with whom it knows itself
      expect(await whoIs(api, client, await signIn(id, uid))).toMatchObject({ given_name: 'Grace' });
      if (known !== undefined) other.users.set(dn, known);
      directory.users.clear();
      expect((await signIn(id, uid)).body).toContain('Wrong');
      directory.refersTo = { url, how: 'in place' };
      expect((await signIn(id, uid)).body).toContain('The other service does not answer');
      expect(directory.searches).toHaveLength(3);
      expect([other.binds, other.searches]).toEqual([[], []]);
    } finally {
      await other.stop();
    }
  });

  it('has a claim that is required', async () => {
    const id = await addDirectory({ requiredClaims: { memberOf: 'cn=staff' } });
    expect((await signIn(id, person().uid)).statusCode).toBe(400);
    const { uid } = person({ memberof: ['cn=staff', 'cn=other'] });
    expect(redirected(await signIn(id, uid)).get('code')).not.toBeNull();
  });

  it('is counted before the directory is asked, by the name and by whom it means', async () => {
    const id = await addDirectory();
    const { uid } = person();
    for (let times = 0; times < 8; times += 1) await signIn(id, uid, `wrong ${times}`);
    expect(directory.triedPasswords).toHaveLength(5);
    // by another name of the same person, and with the right password
    expect((await signIn(id, `${uid}@acme.test`)).statusCode).toBe(400);
    expect(directory.triedPasswords).toHaveLength(5);
    await api.advance(60);
    expect(redirected(await signIn(id, uid)).get('code')).not.toBeNull();
    expect(redirected(await signIn(id, `${uid}@acme.test`)).get('code')).not.toBeNull();
    // an outage is nobody's failure
    directory.trouble = 'busy';
    for (let times = 0; times < 4; times += 1) await signIn(id, uid);
    directory.trouble = undefined;
    expect(redirected(await signIn(id, uid)).get('code')).not.toBeNull();
  });

  it('has no more tries for spelling a name in many ways (S296)', async () => {
    const id = await addDirectory();
    const { uid } = person();
    const name = `${uid} the  first`;
    // no time makes a difference
    await owner.call('PUT', 'policies/lockout', { maxPasswordAttempts: 5, lockDuration: '900s' });
    const spellings = [
      name,
      name.toUpperCase(),
      ` ${name}\u200b`,
      name.replace('  ', ' '),
      `${uid}\u3000the first`,
    ];
    for (const spelling of [...spellings, ...spellings]) await signIn(id, spelling, 'wrong');
    const { rows } = await api.sql.query<{ attempts: number }>(
      'SELECT attempts FROM name_attempts WHERE place = $1',
      [`identity-provider ${id}`],
    );
    expect(rows).toEqual([{ attempts: 5 }]);
    expect(directory.searches).toHaveLength(5);
    await owner.call('DELETE', 'policies/lockout');
  });

  it('is one user whose subject the directory spells in another way, also one whom a manager named (S296)', async () => {
    const id = await addDirectory({ subjectAttribute: 'mail' });
    const { uid, dn } = person();
    const first = await whoIs(api, client, await signIn(id, uid));
    const entry = directory.users.get(dn);
    if (entry === undefined) throw new Error('nobody is there');
    directory.users.set(dn, { ...entry, attributes: { ...entry.attributes, mail: `${uid}@ACME.test` } });
    expect(await whoIs(api, client, await signIn(id, uid))).toMatchObject({ sub: first['sub'] });
    const named = person();
    const user = await aUser(world);
    const externalUserId = ` ${named.uid.toUpperCase()}@Acme.Test`;
    const added = await owner.call('POST', `users/${user.userId}/idps`, { idpId: id, externalUserId });
    expect(added.statusCode, added.body).toBe(200);
    expect(await whoIs(api, client, await signIn(id, named.uid))).toMatchObject({ sub: user.userId });
  });

  it('stays two people where a directory may tell subjects apart by case (S296)', async () => {
    const id = await addDirectory({ subjectAttribute: 'x-key' });
    const subs = [];
    for (const key of ['aB1', 'Ab1']) {
      subs.push((await whoIs(api, client, await signIn(id, person({ 'x-key': key }).uid)))['sub']);
    }
    expect(new Set(subs).size).toBe(2);
  });

  it('is counted by the policy of whoever keeps the directory (S297)', async () => {
    const { id } = await anIdentityProvider(root, settings(), '/admin/v1/idps');
    await owner.call('PUT', 'policies/login', { instanceIdps: [id] });
    await owner.call('PUT', 'policies/lockout', { maxPasswordAttempts: 100, freePasswordAttempts: 100 });
    try {
      const { uid } = person();
      for (let times = 0; times < 12; times += 1) await signIn(id, uid, `wrong ${times}`);
      const tried = directory.triedPasswords.length;
      expect(tried).toBeLessThanOrEqual(10);
      // its own is its own
      const own = await addDirectory();
      for (let times = 0; times < 12; times += 1) await signIn(own, uid, `wrong ${times}`);
      expect(directory.triedPasswords).toHaveLength(tried + 12);
    } finally {
      await owner.call('DELETE', 'policies/lockout');
      await owner.call('DELETE', 'policies/login');
    }
  });

  it.each(['wants TLS of people', 'wants more of people'] as const)(
    'has guessed nothing where the directory %s (S298)',
    async (trouble) => {
      const id = await addDirectory();
      const { uid } = person();
      directory.trouble = trouble;
      for (let times = 0; times < 8; times += 1) {
        expect((await signIn(id, uid)).body).toContain('The other service does not answer');
      }
      const { rows } = await api.sql.query<{ attempts: number }>(
        'SELECT attempts FROM name_attempts WHERE place = $1 AND attempts > 0',
        [`identity-provider ${id}`],
      );
      expect(rows).toEqual([]);
      directory.trouble = undefined;
      expect(redirected(await signIn(id, uid)).get('code')).not.toBeNull();
    },
  );

  it('uses no form of another browser, of another provider, or without its token', async () => {
    const id = await addDirectory();
    const { uid } = person();
    const browser = new TestBrowser(api);
    const page = await openForm(browser, id);
    const stranger = new TestBrowser(api);
    await stranger.openSignIn(codeRequest(client));
    expect((await submit(stranger, page, uid)).statusCode).not.toBe(303);
    const fields = { ...hiddenFields(page.body), loginName: uid, password: PASSWORD };
    const other = await addDirectory({ name: 'Other' });
    expect((await browser.post(`/login/idps/${other}/directory`, fields)).statusCode).toBe(403);
    expect((await browser.post(`/login/idps/${id}/directory`, { ...fields, csrf: 'x' })).statusCode).toBe(
      403,
    );
    expect(directory.triedPasswords).toEqual([]);
    // it is good once
    expect((await submit(browser, page, uid)).statusCode).toBe(303);
    expect((await submit(browser, page, uid)).statusCode).not.toBe(303);
  });
});

describe('the settings of a directory', () => {
  it.each([
    [{ urls: ['https://directory.acme.test'] }, 'urls must start with ldaps:// or ldap://'],
    [{ urls: ['ldaps://user:secret@directory.acme.test'] }, 'urls must not contain credentials'],
    [{ urls: ['ldaps://directory.acme.test/dc=acme'] }, 'urls must end with the host or port'],
    [{ startTls: true }, 'urls must start with ldap:// for startTls'],
    [{ userFilter: '(uid=somebody)' }, 'userFilter must compare something with {loginName}'],
    [{ userFilter: '(uid={loginName}' }, 'userFilter must'],
    [{ userFilter: '(a=b)(uid={loginName})' }, 'userFilter must be a filter of RFC 4515'],
    [{ subjectAttribute: '*' }, 'subjectAttribute must be the name of an attribute'],
    [{ caCertificate: 'none' }, 'caCertificate must be a certificate in PEM'],
    [{ bindPassword: undefined }, 'bindPassword is required'],
    [{ clientId: 'x' }, 'clientId is not a field of ldap'],
    [{ baseDn: undefined }, 'baseDn is required'],
  ])('refuse %j', async (changes, message) => {
    const refused = await owner.call('POST', 'idps', settings(changes));
    expect(refused.statusCode).toBe(400);
    expect(refused.json<{ message: string }>().message).toContain(message);
  });

  it('are read without the password, which goes nowhere else', async () => {
    const id = await addDirectory();
    const found = await owner.call('GET', `idps/${id}`);
    expect(found.body).not.toContain(BIND_PASSWORD);
    expect(found.json()).toMatchObject({
      idp: { kind: 'ldap', subjectAttribute: 'entryUUID', hasSecret: true },
    });
    const { bindPassword, ...rest } = settings();
    expect((await owner.call('PUT', `idps/${id}`, { ...rest, name: 'Renamed' })).statusCode).toBe(200);
    const elsewhere = { ...rest, urls: ['ldaps://evil.example.com'] };
    const refused = await owner.call('PUT', `idps/${id}`, elsewhere);
    expect(refused.json<{ message: string }>().message).toContain('bindPassword must be given again');
    expect((await owner.call('PUT', `idps/${id}`, { ...elsewhere, bindPassword })).statusCode).toBe(200);
    const others = { ...rest, subjectAttribute: 'uid' };
    expect((await owner.call('PUT', `idps/${id}`, others)).statusCode).toBe(400);
  });
});
