import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { AccountBrowser } from '../../support/account-browser.js';
import { useReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { makeSigner } from '../../support/assertions.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  obtainTokens,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
  unescapeHtml,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { ForeignProvider, useForeignProvider } from '../../support/foreign-provider.js';
import { given } from '../../support/given.js';
import {
  anIdentityProvider,
  aServedProvider,
  chooseProvider,
  usersBySubject,
  type AddedProvider,
} from '../../support/identity-providers.js';
import { proveAddress } from '../../support/prove-address.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const foreign = useForeignProvider();
const other = useForeignProvider();

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_FLOW: '1000' });
const replica = useReplica(api, { OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_FLOW: '1000' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));
const CREATING = { allowCreation: true };

let idp: AddedProvider;
let second: AddedProvider;
beforeEach(async () => {
  await api.sql.query('DELETE FROM identity_providers');
  foreign.broken = false;
  idp = await aServedProvider(owner, foreign, CREATING);
  second = await aServedProvider(owner, other, CREATING);
});

let subjects = 0;
function newSubject(): string {
  subjects += 1;
  return `leaver-${subjects}`;
}

/** Somebody signs in by the provider. @param verified otherwise they prove their address by a code, `meanwhile` before it is typed */
async function signIn(
  subject: string,
  at = foreign,
  by = idp,
  verified = true,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<TokenAnswer> {
  at.subject = subject;
  at.claims = { email: `${subject}@elsewhere.example`, email_verified: verified };
  const browser = new TestBrowser(api);
  const begun = await browser.get(authorizeUrl(codeRequest(client)));
  const back = await at.visit(await chooseProvider(browser, begun, by.id));
  const returned = await browser.get(back);
  if (!verified) await meanwhile();
  const answered = verified ? returned : await proveAddress(api, browser, returned);
  // where it is refused there is no code, and there are no tokens
  const code = redirected(answered).get('code') ?? '';
  return (await requestToken(api, redemption(code), basic(client))).json<TokenAnswer>();
}

async function isLive({ access_token: token }: TokenAnswer): Promise<boolean> {
  return (await userinfo(replica, token)).statusCode === 200;
}

async function send(token: string, to = idp.id, at = api): Promise<LightMyRequestResponse> {
  return await postForm(at, `/login/idps/${to}/backchannel_logout`, { logout_token: token });
}

describe('a provider that says that somebody has signed out', () => {
  it('ends the sessions that began with it, on every replica, and no others', async () => {
    const subject = newSubject();
    const tokens = await signIn(subject);
    const stranger = await signIn(newSubject());
    const answered = await send(await foreign.logoutToken({ sub: subject }), idp.id, replica);
    expect(answered.statusCode).toBe(200);
    expect(answered.headers['cache-control']).toBe('no-store');
    expect(await isLive(tokens)).toBe(false);
    expect(await isLive(stranger)).toBe(true);
    const { rows } = await api.sql.query(
      `SELECT data ->> 'reason' AS reason FROM events WHERE type = 'session.ended' ORDER BY created_at DESC LIMIT 1`,
    );
    expect(rows).toEqual([{ reason: 'ended_by_provider' }]);
  });

  it('ends nothing that the user began with a password, or with another provider', async () => {
    const subject = newSubject();
    const user = await aUser(world);
    for (const { id } of [idp, second]) {
      const body = { idpId: id, externalUserId: subject };
      expect((await owner.call('POST', `users/${user.userId}/idps`, body)).statusCode).toBe(200);
    }
    const own = await obtainTokens(api, client, user);
    const tokens = await signIn(subject);
    const elsewhere = await signIn(subject, other, second);
    expect((await send(await foreign.logoutToken({ sub: subject }))).statusCode).toBe(200);
    expect(await isLive(tokens)).toBe(false);
    expect(await isLive(own)).toBe(true);
    expect(await isLive(elsewhere)).toBe(true);
  });

  it.each(['sub', 'sid'])(
    'ends the session of whoever proved their address by a code first, by %s',
    async (by) => {
      foreign.namesSessions = true;
      idp = await aServedProvider(owner, foreign, CREATING);
      try {
        const subject = newSubject();
        const tokens = await signIn(subject, foreign, idp, false);
        const { rows } = await api.sql.query<{ sid: string | null }>(
          'SELECT provider_session AS sid FROM provider_sessions WHERE subject = $1',
          [subject],
        );
        const claims = by === 'sub' ? { sub: subject } : { sid: rows[0]?.sid ?? 'none is kept' };
        expect((await send(await foreign.logoutToken(claims))).statusCode).toBe(200);
        expect(await isLive(tokens)).toBe(false);
      } finally {
        foreign.namesSessions = false;
      }
    },
  );

  it('is heard while its user types a code: that begins no session (S357)', async () => {
    foreign.namesSessions = true;
    idp = await aServedProvider(owner, foreign, CREATING);
    try {
      const subject = newSubject();
      const before = await signIn(newSubject());
      const over = await signIn(subject, foreign, idp, false, async () => {
        const { rows } = await api.sql.query<{ sid: string }>(
          `SELECT pending_identity #>> '{providerSession,providerSession}' AS sid FROM auth_requests
           WHERE pending_identity ->> 'subject' = $1`,
          [subject],
        );
        expect((await send(await foreign.logoutToken({ sid: rows[0]?.sid }))).statusCode).toBe(200);
      });
      expect(over.access_token).toBeUndefined();
      expect(await usersBySubject(api, subject)).toEqual([]);
      expect(await isLive(before)).toBe(true);
      // the next session there is another one
      expect(await isLive(await signIn(subject))).toBe(true);
    } finally {
      foreign.namesSessions = false;
    }
  });

  it('of a whole subject reaches who was asked about before, without an auth_time, and nobody later (S357)', async () => {
    const subject = newSubject();
    const over = await signIn(subject, foreign, idp, false, async () => {
      expect((await send(await foreign.logoutToken({ sub: subject }))).statusCode).toBe(200);
    });
    expect(over.access_token).toBeUndefined();
    expect(await isLive(await signIn(subject))).toBe(true);
  });

  it('may name its session: others of the same subject stay', async () => {
    const subject = newSubject();
    const [first, next] = [await signIn(subject), await signIn(subject)];
    const { rows } = await api.sql.query<{ session_id: string }>(
      `SELECT session_id FROM provider_sessions WHERE subject = $1 ORDER BY session_id`,
      [subject],
    );
    for (const [nth, { session_id: id }] of rows.entries()) {
      const values = [`sid-${nth}`, id];
      await api.sql.query('UPDATE provider_sessions SET provider_session = $1 WHERE session_id = $2', values);
    }
    await send(await foreign.logoutToken({ sub: subject, sid: 'sid-0' }));
    expect([await isLive(first), await isLive(next)].toSorted()).toEqual([false, true]);
    await send(await foreign.logoutToken({ sid: 'sid-1' }));
    expect([await isLive(first), await isLive(next)]).toEqual([false, false]);
  });

  it('ends nothing that began after it was said: an old token is of no use', async () => {
    const subject = newSubject();
    const token = await foreign.logoutToken({ sub: subject, iat: Math.floor(Date.now() / 1000) - 200 });
    const tokens = await signIn(subject);
    expect((await send(token)).statusCode).toBe(200);
    expect(await isLive(tokens)).toBe(true);
  });
});

async function ended(subject: string): Promise<void> {
  // in a later second than the sign-in there, which is all that `auth_time` tells
  const iat = Math.floor(Date.now() / 1000) + 1;
  expect((await send(await foreign.logoutToken({ sub: subject, iat }))).statusCode).toBe(200);
}

describe('an account that has the address of somebody who comes from a provider', () => {
  /** Comes from the provider, and types the password of the account after what happens meanwhile. @returns who is connected with it */
  async function connect(
    subject: string,
    user: TestUser,
    address: string,
    meanwhile: () => Promise<void>,
  ): Promise<unknown[]> {
    foreign.subject = subject;
    foreign.claims = { email: address, email_verified: true };
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(codeRequest(client)));
    const back = await foreign.visit(await chooseProvider(browser, begun, idp.id));
    const returned = await browser.get(back);
    const page = await browser.get(returned.headers.location ?? '');
    await meanwhile();
    const form = { ...hiddenFields(page.body), loginName: user.loginName, password: PASSWORD };
    // they have shown who they are here, whatever the provider says
    expect(redirected(await browser.post('/login', form)).get('code')).not.toBeNull();
    const found = await api.sql.query<{ subject: string }>(
      'SELECT subject FROM user_identities WHERE user_id = $1',
      [user.userId],
    );
    return found.rows.map((row) => row.subject);
  }

  it('is not connected once their session has ended there (S474)', async () => {
    const subject = newSubject();
    const address = `${subject}@mail.test`;
    const user = await aUser(world, { email: { address, verified: true } });
    expect(await connect(subject, user, address, async () => await ended(subject))).toEqual([]);
    expect(await connect(subject, user, address, async () => await Promise.resolve())).toEqual([subject]);
  });
});

describe('what its reader does with a provider, on the account pages', () => {
  const PATH = '/account/security/identities';
  const CONFIRM = '/account/confirm';

  /** Sends the form with that action, and comes back from the provider after what happens meanwhile. */
  async function byWayOf(
    browser: TestBrowser,
    page: LightMyRequestResponse,
    action: string,
    meanwhile: () => Promise<void> = async () => undefined,
  ): Promise<LightMyRequestResponse> {
    const form = new RegExp(`<form[^>]*action="${action}"[\\s\\S]*?</form>`).exec(page.body)?.[0] ?? '';
    const sent = await browser.post(action, { ...hiddenFields(form), target: idp.id });
    const url = await foreign.visit(unescapeHtml(/id="send-on" href="([^"]*)"/.exec(sent.body)?.[1] ?? ''));
    await meanwhile();
    return await browser.get(url);
  }

  it('is no proof of who they are once its session has ended there (S453)', async () => {
    const subject = (foreign.subject = newSubject());
    const user = await aUser(world);
    const body = { idpId: idp.id, externalUserId: subject };
    expect((await owner.call('POST', `users/${user.userId}/idps`, body)).statusCode).toBe(200);
    const browser = await AccountBrowser.signedIn(api, user);
    const since = `auth_time - interval '1 hour'`;
    await api.sql.query(`UPDATE sessions SET auth_time = ${since} WHERE user_id = $1`, [user.userId]);
    const { location = '' } = (await browser.get(PATH)).headers;
    const page = await browser.get(location);
    const back = await byWayOf(browser, page, `${CONFIRM}/identity`, async () => await ended(subject));
    expect(back.headers.location).toBe(`${CONFIRM}?problem=idp-refused`);
    expect((await browser.get(PATH)).headers.location).toContain(CONFIRM);
    // the next session there is another one
    const again = await browser.get(back.headers.location ?? '');
    expect((await byWayOf(browser, again, `${CONFIRM}/identity`)).headers.location).toBe(`${CONFIRM}/done`);
    expect((await browser.get(PATH)).statusCode).toBe(200);
  });

  it('is connected with no account once its session has ended there (S453)', async () => {
    const subject = (foreign.subject = newSubject());
    const user = await aUser(world);
    const browser = await AccountBrowser.signedIn(api, user);
    const identities = async () =>
      (await api.sql.query('SELECT FROM user_identities WHERE user_id = $1', [user.userId])).rows.length;
    const page = await browser.get(PATH);
    const back = await byWayOf(browser, page, `${PATH}/connect`, async () => await ended(subject));
    expect(redirected(back).get('done')).toBe('identityNotAdded');
    expect(await identities()).toBe(0);
    const again = await byWayOf(browser, await browser.get(PATH), `${PATH}/connect`);
    expect([redirected(again).get('done'), await identities()]).toEqual(['identityAdded', 1]);
  });
});

describe('a logout token that is not good', () => {
  const seconds = (): number => Math.floor(Date.now() / 1000);
  const subject = 'somebody';

  it.each<[string, () => Promise<string>]>([
    ['of another provider', async () => await other.logoutToken({ sub: subject })],
    [
      'in the name of the provider',
      async () => await other.logoutToken({ sub: subject, iss: foreign.issuer }),
    ],
    ['for another client', async () => await foreign.logoutToken({ sub: subject, aud: 'another' })],
    [
      'by another key',
      async () => await foreign.logoutToken({ sub: subject }, { signer: makeSigner('RS256') }),
    ],
    ['without the event', async () => await foreign.logoutToken({ sub: subject, events: {} })],
    [
      'without events, as an ID token',
      async () => await foreign.logoutToken({ sub: subject, events: undefined }),
    ],
    ['with a nonce', async () => await foreign.logoutToken({ sub: subject, nonce: 'x' })],
    ['that names nobody', async () => await foreign.logoutToken({})],
    ['that has expired', async () => await foreign.logoutToken({ sub: subject, exp: seconds() - 100 })],
    ['from long ago', async () => await foreign.logoutToken({ sub: subject, iat: seconds() - 400 })],
    [
      'of another type',
      async () => await foreign.logoutToken({ sub: subject }, { header: { typ: 'at+jwt' } }),
    ],
    ['that is none', async () => await Promise.resolve('nonsense')],
  ])('is refused: %s', async (_name, make) => {
    const answered = await send(await make());
    expect(answered.statusCode).toBe(400);
    expect(answered.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('is refused unsigned', async () => {
    const [, payload = ''] = (await foreign.logoutToken({ sub: subject })).split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    expect((await send(`${none}.${payload}.`)).statusCode).toBe(400);
  });

  it('is refused for a provider that is switched off, or is none', async () => {
    const token = await foreign.logoutToken({ sub: subject });
    await owner.call('POST', `idps/${idp.id}/_deactivate`);
    expect((await send(token)).statusCode).toBe(400);
    expect((await send(token, 'nobody')).statusCode).toBe(400);
  });

  it('is refused without, and twice in one form', async () => {
    const url = `/login/idps/${idp.id}/backchannel_logout`;
    expect((await postForm(api, url, {})).statusCode).toBe(400);
    const token = await foreign.logoutToken({ sub: subject });
    const payload = `logout_token=${token}&logout_token=${token}`;
    expect((await postForm(api, url, payload)).statusCode).toBe(400);
  });

  it.each([
    ['of many tenants', () => ({ kind: 'microsoft', tenant: 'common' })],
    ['that speaks OAuth 2.0 alone', () => ({ kind: 'github' })],
  ])('is refused for a provider %s, which sends none', async (_which, settings) => {
    const { clientId, clientSecret } = foreign.settings;
    const body = { name: 'Vendor', clientId, clientSecret, ...settings() };
    const { id } = await anIdentityProvider(owner, body);
    // nobody is asked for keys
    expect((await send(await foreign.logoutToken({ sub: subject }), id)).statusCode).toBe(400);
  });

  it('may be sent again where the provider cannot be asked for its keys', async () => {
    const away = new ForeignProvider();
    await away.start();
    const { id } = await aServedProvider(owner, away, CREATING);
    away.broken = true;
    const answered = await send(await away.logoutToken({ sub: subject }), id);
    expect(answered.statusCode).toBe(503);
    expect(answered.json()).toMatchObject({ error: 'temporarily_unavailable' });
    away.broken = false;
    expect((await send(await away.logoutToken({ sub: subject }), id)).statusCode).toBe(200);
    await away.stop();
  });
});
