import { describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { anApplication } from '../../support/applications.js';
import {
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  unescapeHtml,
} from '../../support/browser-flow.js';
import { errorBody } from '../../support/calls.js';
import { aTotpSecret } from '../../support/factors.js';
import { useForeignProvider } from '../../support/foreign-provider.js';
import { given } from '../../support/given.js';
import { anIdentityProvider, aServedProvider } from '../../support/identity-providers.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const foreign = useForeignProvider();

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));
const idp = given(() => aServedProvider(owner, foreign));

async function identitiesOf({
  userId,
}: TestUser): Promise<readonly { id: string; externalUserId: string }[]> {
  const listed = await owner.call('GET', `users/${userId}/idps`);
  return listed.json<{ result: { id: string; externalUserId: string }[] }>().result;
}

/** The form of the page whose button says so. */
function formAt(page: string, action: string): Record<string, string> {
  const form = new RegExp(`<form[^>]*action="${action}"[\\s\\S]*?</form>`).exec(page)?.[0];
  return hiddenFields(form ?? '');
}

const PATH = '/account/security/identities';

describe('identities of a user, by a manager', () => {
  it('are added and removed, and belong to one user', async () => {
    const user = await aUser(world);
    const body = { idpId: idp.id, externalUserId: 'added-by-hand', displayName: 'ada' };
    const added = await owner.call('POST', `users/${user.userId}/idps`, body);
    expect(added.statusCode).toBe(200);
    expect(await identitiesOf(user)).toMatchObject([
      { idpId: idp.id, idpName: 'Elsewhere', externalUserId: 'added-by-hand', displayName: 'ada' },
    ]);
    const another = await aUser(world);
    expect((await owner.call('POST', `users/${another.userId}/idps`, body)).json()).toEqual(
      errorBody(6, 'Identity belongs to a user already', 'IDP-Sb4tk'),
    );
    const { id } = added.json<{ id: string }>();
    expect((await owner.call('DELETE', `users/${user.userId}/idps/${id}`)).statusCode).toBe(200);
    expect(await identitiesOf(user)).toEqual([]);
  });

  it('are not of those who could do more: neither by rank nor by the provider', async () => {
    const root = await aServiceUser(world, 'IAM_OWNER');
    const admin = await aUser(world);
    await root.call('POST', '/admin/v1/members', { userId: admin.userId, roles: ['IAM_OWNER'] });
    const body = { idpId: idp.id, externalUserId: 'admin' };
    expect((await owner.call('POST', `users/${admin.userId}/idps`, body)).statusCode).toBe(403);
    // not even by whoever may: the provider is kept by people who may not
    expect((await root.call('POST', `users/${admin.userId}/idps`, body)).json()).toEqual(
      errorBody(9, 'The provider cannot sign this user in', 'IDP-Ns5ay'),
    );
  });

  it("are not of whoever holds a role elsewhere: an organization's provider must not reach it", async () => {
    const elsewhere = await anOrganization(api);
    const user = await aUser(world);
    await api.sql.query(
      `INSERT INTO memberships (org_id, user_org_id, user_id, role) VALUES ($1, $2, $3, 'ORG_OWNER_VIEWER')`,
      [elsewhere.orgId, world.orgId, user.userId],
    );
    const here = await aServiceUser(world, 'IAM_OWNER');
    const body = { idpId: idp.id, externalUserId: 'member-elsewhere' };
    expect((await here.call('POST', `users/${user.userId}/idps`, body)).json()).toEqual(
      errorBody(9, 'The provider cannot sign this user in', 'IDP-Ns5ay'),
    );
  });

  it("are named of the instance's providers by whoever keeps those alone", async () => {
    const root = await aServiceUser(world, 'IAM_OWNER');
    const provider = { ...foreign.settings, name: 'Of all' };
    const { id } = (await root.call('POST', '/admin/v1/idps', provider)).json<{ id: string }>();
    const user = await aUser(world);
    const body = { idpId: id, externalUserId: 'somebody-elsewhere' };
    expect((await owner.call('POST', `users/${user.userId}/idps`, body)).json()).toEqual(
      errorBody(5, 'Identity provider could not be found', 'IDP-Nf3kq'),
    );
    expect((await root.call('POST', `users/${user.userId}/idps`, body)).statusCode).toBe(200);
  });

  it('end when their user rises above whoever named them, and stay where the user came back with them', async () => {
    const root = await aServiceUser(world, 'IAM_OWNER');
    const manager = await aServiceUser(world, 'ORG_USER_MANAGER');
    const user = await aUser(world);
    const body = { idpId: idp.id, externalUserId: 'of-the-manager' };
    const { id } = (await manager.call('POST', `users/${user.userId}/idps`, body)).json<{ id: string }>();
    await api.sql.query(
      `INSERT INTO user_identities (provider_id, subject, org_id, user_id) VALUES ($1, 'their own', $2, $3)`,
      [idp.id, world.orgId, user.userId],
    );
    const member = { userId: user.userId, roles: ['ORG_OWNER'] };
    expect((await root.call('POST', 'orgs/me/members', member)).json()).toMatchObject({
      endedCredentials: [{ kind: 'identity', id }],
    });
    expect((await identitiesOf(user)).map(({ externalUserId }) => externalUserId)).toEqual(['their own']);
    const { rows } = await api.sql.query(
      `SELECT data FROM events WHERE aggregate_id = $1 AND type = 'user.human.identity.removed'`,
      [user.userId],
    );
    expect(rows).toEqual([{ data: { reason: 'user_promoted', providerId: idp.id } }]);
  });

  it("are not of another organization's users", async () => {
    const elsewhere = await anOrganization(api);
    const stranger = await aUser(elsewhere);
    const body = { idpId: idp.id, externalUserId: 'stranger' };
    expect((await owner.call('POST', `users/${stranger.userId}/idps`, body)).statusCode).toBe(404);
  });

  it('are not taken away where nothing else is left', async () => {
    const user = await aUser(world);
    await owner.call('POST', `users/${user.userId}/idps`, { idpId: idp.id, externalUserId: 'alone' });
    await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [user.userId]);
    const [identity] = await identitiesOf(user);
    expect((await owner.call('DELETE', `users/${user.userId}/idps/${identity?.id}`)).json()).toEqual(
      errorBody(
        9,
        'The last way to sign in cannot be removed: add a password or a passkey first',
        'IDP-Lw4in',
      ),
    );
    expect(await identitiesOf(user)).toHaveLength(1);
  });
});

describe('identities of the reader, on the account pages', () => {
  async function aReader() {
    const user = await aUser(world);
    const browser = new TestBrowser(api);
    await browser.signIn(codeRequest(client), user);
    expect(idp.id).not.toBe('');
    return { user, browser };
  }

  async function connect(browser: TestBrowser): Promise<URL> {
    const page = await browser.get(PATH);
    const sent = await browser.post(`${PATH}/connect`, formAt(page.body, `${PATH}/connect`));
    expect(sent.statusCode).toBe(200);
    return await foreign.visit(unescapeHtml(/id="send-on" href="([^"]*)"/.exec(sent.body)?.[1] ?? ''));
  }

  it('are added by going there, and removed again', async () => {
    const { user, browser } = await aReader();
    foreign.subject = 'of-the-reader';
    foreign.claims = { email: 'whatever@elsewhere.test' };
    const url = await connect(browser);
    const back = await browser.get(url);
    expect(back.headers.location).toBe(`${PATH}?done=identityAdded`);
    expect((await identitiesOf(user)).map(({ externalUserId }) => externalUserId)).toEqual(['of-the-reader']);
    const page = await browser.get(back.headers.location ?? '');
    expect(page.body).toContain('The service is connected');
    expect((await browser.get('/account/security')).body).toContain('One service is connected');
    const gone = await browser.post(`${PATH}/disconnect`, formAt(page.body, `${PATH}/disconnect`));
    expect(gone.headers.location).toBe(`${PATH}?done=identityRemoved`);
    expect(await identitiesOf(user)).toEqual([]);
  });

  it('stay where nothing else is left, and the page says so', async () => {
    const { user, browser } = await aReader();
    await owner.call('POST', `users/${user.userId}/idps`, { idpId: idp.id, externalUserId: 'the-only-way' });
    await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [user.userId]);
    const page = await browser.get(PATH);
    const kept = await browser.post(`${PATH}/disconnect`, formAt(page.body, `${PATH}/disconnect`));
    expect(kept.headers.location).toBe(`${PATH}?done=lastWayIn`);
    expect((await browser.get(kept.headers.location ?? '')).body).toContain(
      'This is your only way to sign in. Set a password or add a passkey first.',
    );
    expect((await identitiesOf(user)).map(({ externalUserId }) => externalUserId)).toEqual(['the-only-way']);
    // of two of them one may go
    await owner.call('POST', `users/${user.userId}/idps`, { idpId: idp.id, externalUserId: 'another-way' });
    const again = await browser.get(PATH);
    const gone = await browser.post(`${PATH}/disconnect`, formAt(again.body, `${PATH}/disconnect`));
    expect(gone.headers.location).toBe(`${PATH}?done=identityRemoved`);
    expect(await identitiesOf(user)).toHaveLength(1);
  });

  const CONFIRM = '/account/confirm';
  const BY_IDENTITY = `${CONFIRM}/identity`;

  /** Somebody whose sign-in was a while ago, who is one of the provider's. */
  async function aStaleReader(subject: string, hasPassword: boolean) {
    const reader = await aReader();
    const { userId } = reader.user;
    await owner.call('POST', `users/${userId}/idps`, { idpId: idp.id, externalUserId: subject });
    if (!hasPassword) await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [userId]);
    await api.advance(3600);
    const asked = await reader.browser.get(PATH);
    expect(asked.headers.location).toBe(`${CONFIRM}?next=${encodeURIComponent(PATH)}`);
    return { ...reader, asked: await reader.browser.get(asked.headers.location ?? '') };
  }

  async function goThere(browser: TestBrowser, page: string): Promise<URL> {
    const sent = await browser.post(BY_IDENTITY, formAt(page, BY_IDENTITY));
    expect(sent.statusCode).toBe(200);
    return await foreign.visit(unescapeHtml(/id="send-on" href="([^"]*)"/.exec(sent.body)?.[1] ?? ''));
  }

  it.each([true, false])(
    'are the proof that a page asks for, with a password (%s) or without',
    async (has) => {
      const { browser, asked } = await aStaleReader(`stale-${has}`, has);
      expect(asked.body.includes('type="password"')).toBe(has);
      foreign.subject = `stale-${has}`;
      const url = await goThere(browser, asked.body);
      expect(foreign.asked).toMatchObject({ max_age: '600', prompt: 'login' });
      const back = await browser.get(url);
      expect(back.headers.location).toBe(`${CONFIRM}/done`);
      expect((await browser.get(`${CONFIRM}/done`)).headers.location).toBe(PATH);
      expect((await browser.get(PATH)).statusCode).toBe(200);
    },
  );

  it.each([true, false])(
    "are no proof where they are somebody's (%s) or nobody's, and none is added",
    async (is) => {
      const other = await aUser(world);
      const body = { idpId: idp.id, externalUserId: 'stale-other' };
      if (is) expect((await owner.call('POST', `users/${other.userId}/idps`, body)).statusCode).toBe(200);
      const { user, browser, asked } = await aStaleReader('stale-own', false);
      foreign.subject = 'stale-other';
      const url = await goThere(browser, asked.body);
      const back = await browser.get(url);
      expect(back.headers.location).toBe(`${CONFIRM}?problem=idp-refused`);
      const again = await browser.get(back.headers.location ?? '');
      expect(again.body).toContain('We could not make sure that it is you');
      expect(formAt(again.body, BY_IDENTITY)).toMatchObject({ next: PATH });
      expect((await browser.get(PATH)).headers.location).toContain(CONFIRM);
      expect((await identitiesOf(user)).map(({ externalUserId }) => externalUserId)).toEqual(['stale-own']);
      await api.sql.query('DELETE FROM user_identities WHERE provider_id = $1', [idp.id]);
    },
  );

  it('are the way in again for whoever has a factor and no password, of any organization', async () => {
    const theirs = await anOrganization(api);
    const manager = await aServiceUser(theirs, 'ORG_OWNER');
    const settings = { ...foreign.settings, name: 'Theirs' };
    const { id, callbackUrl } = await anIdentityProvider(manager, settings);
    const user = await aUser(theirs);
    const subject = 'of-another-organization';
    await manager.call('POST', `users/${user.userId}/idps`, { idpId: id, externalUserId: subject });
    const browser = await AccountBrowser.signedIn(api, user);
    await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [user.userId]);
    const app = await aTotpSecret(api, user.userId);
    await api.sql.query('UPDATE sessions SET second_factor_at = app_now() WHERE user_id = $1', [user.userId]);
    await api.advance(601);
    const { location = '' } = (await browser.get(PATH)).headers;
    const sent = await browser.get(location);
    expect(sent.headers.location).toMatch(/^\/login\?flow=/);
    const page = await browser.get(sent.headers.location ?? '');
    expect(page.body).toContain(`/login/idps/${id}?flow=`);
    // a page of theirs, begun anew where it was open for too long
    const flow = new URL(sent.headers.location ?? '', 'https://id.test').searchParams.get('flow') ?? '';
    await api.sql.query('UPDATE auth_requests SET expires_at = app_now() WHERE id = $1', [flow]);
    const again = await browser.get(`/login/again?flow=${flow}`);
    const { body } = await browser.get(again.headers.location ?? '');
    const way = unescapeHtml(new RegExp(`href="(/login/idps/${id}[^"]*)"`).exec(body)?.[1] ?? '');
    foreign.serve(callbackUrl);
    foreign.subject = subject;
    // a session that lives on at the provider says nothing about who is here (S378)
    const away = (await browser.get(way)).headers.location ?? '';
    expect(Object.fromEntries(new URL(away).searchParams)).toMatchObject({ prompt: 'login', max_age: '600' });
    const url = await foreign.visit(away);
    const step = await browser.get(url);
    expect(step.headers.location).toContain('/login/second-factor?flow=');
    const code = app.code(api);
    const fields = hiddenFields((await browser.get(step.headers.location ?? '')).body);
    const done = await browser.post('/login/second-factor', { ...fields, code });
    expect(done.headers.location).toBe('/account');
    expect((await browser.get('/account')).headers.location).toBe(PATH);
    expect((await browser.get(PATH)).statusCode).toBe(200);
    foreign.serve(idp.callbackUrl);
  });

  it('are asked for at no provider that does not know the reader', async () => {
    const { user, browser, asked } = await aStaleReader('stale-gone', false);
    const fields = formAt(asked.body, BY_IDENTITY);
    await api.sql.query('DELETE FROM user_identities WHERE user_id = $1', [user.userId]);
    const sent = await browser.post(BY_IDENTITY, fields);
    expect(sent.headers.location).toMatch(/^\/login\?flow=/);
  });

  it('are not added by an answer that another browser began', async () => {
    const { user, browser } = await aReader();
    const attacker = await aReader();
    foreign.subject = 'of-the-attacker';
    const url = await connect(attacker.browser);
    expect((await browser.get(url)).statusCode).toBe(400);
    expect(await identitiesOf(user)).toEqual([]);
  });

  it("stay somebody else's", async () => {
    const first = await aReader();
    foreign.subject = 'taken';
    const url = await connect(first.browser);
    await first.browser.get(url);
    const second = await aReader();
    const again = await connect(second.browser);
    const back = await second.browser.get(again);
    expect(redirected(back).get('done')).toBe('identityNotAdded');
    expect(await identitiesOf(second.user)).toEqual([]);
  });
});
