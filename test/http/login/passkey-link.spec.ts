import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { Authenticator } from '../../support/authenticator.js';
import { codeRequest, hiddenFields, redirected, TestBrowser, tokensOf } from '../../support/browser-flow.js';
import { errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { HASH, record } from '../../support/human-records.js';
import { HOME, postCredential, type AskedAssertion } from '../../support/passkeys.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage, expectPageHeaders } from '../oidc/support/answers.js';

// A one-time link by which somebody adds a passkey without having signed in: what makes one, and all that it is not good for.

const PATH = '/passkey/register';
const CHALLENGE = `${PATH}/challenge`;
type AskedRegistration = Parameters<Authenticator['register']>[0] & {
  readonly authenticatorSelection: object;
};

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anApplication(world));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

beforeEach(async () => {
  // nobody is held up by what the test before got wrong
  await api.advance(90);
});

interface Imported {
  readonly userId: string;
  readonly details: { readonly sequence: string };
  readonly passwordlessRegistration: {
    readonly link: string;
    readonly lifetime: string;
    readonly expiration: string;
  };
}

let count = 0;

/** Without a password, and with an address of its own, verified unless something else is said. */
async function imported(changes: object = {}, isEmailVerified = true): Promise<Imported> {
  const email = { email: `link-${++count}@mail.test`, isEmailVerified };
  const asked = { email, hashedPassword: undefined, requestPasswordlessRegistration: true };
  const body = { ...record(asked), ...changes };
  const answer = await owner.call('POST', 'users/human/_import', body);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<Imported>();
}

const linkOf = ({ passwordlessRegistration }: Imported): string => passwordlessRegistration.link;

async function linkFor(userId: string): Promise<string> {
  const answer = await owner.call('POST', `users/${userId}/passwordless/_link`, {});
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ link: string }>().link;
}

/** Somebody who opened the link, and an authenticator of theirs. */
async function open(link: string, browser = new TestBrowser(api)) {
  const { pathname, search } = new URL(link);
  const page = await browser.get(`${pathname}${search}`);
  const fields = hiddenFields(page.body);
  const ask = (from = browser, form = fields) => from.post(CHALLENGE, form);
  const send = (credential: object, from = browser, form = fields) =>
    postCredential(from, PATH, form, credential);
  const asked = async () => (await ask()).json<AskedRegistration>();
  return { browser, page, fields, ask, asked, send, key: new Authenticator(HOME) };
}

async function stateOf(userId: string): Promise<object> {
  const { rows } = await api.sql.query<object>(
    `SELECT u.state, (SELECT count(*)::int FROM passkeys p WHERE p.user_id = u.id) AS passkeys,
       (SELECT coalesce(array_agg(template ORDER BY template), '{}') FROM notifications n WHERE n.user_id = u.id) AS mails
     FROM users u WHERE u.id = $1`,
    [userId],
  );
  return rows[0] ?? {};
}

async function eventsOf(userId: string) {
  const { rows } = await api.sql.query<{ type: string; actor_id: string; sequence: number }>(
    `SELECT type, actor_id, sequence::int AS sequence FROM events WHERE aggregate_id = $1 ORDER BY sequence`,
    [userId],
  );
  return rows.map(({ type, actor_id: actor, sequence }) => ({ type, actor, sequence }));
}

async function expectOver(link: string): Promise<void> {
  const { page } = await open(link);
  expectErrorPage(page, 400);
  expect(page.body).toContain('This link is no longer valid');
  expect(page.body).toContain('ask the person who gave you the link for a new one');
}

describe('an import that asks for a link', () => {
  it('answers one that is good for an hour, and leaves no mail to send', async () => {
    const user = await imported();
    expect(user).toEqual({
      userId: expect.any(String) as string,
      details: {
        sequence: '2',
        creationDate: expect.any(String) as string,
        resourceOwner: world.orgId,
      },
      passwordlessRegistration: {
        link: expect.stringMatching(
          /^https:\/\/id\.test\/passkey\/register\?id=[\w-]{22}&code=[A-Z2-9]{12}$/,
        ) as string,
        lifetime: '3600s',
        expiration: '3600s',
      },
    });
    expect(await stateOf(user.userId)).toEqual({ state: 'active', passkeys: 0, mails: [] });
    expect(await eventsOf(user.userId)).toEqual([
      { type: 'user.human.imported', actor: owner.userId, sequence: 1 },
      { type: 'user.human.passkey.link_made', actor: owner.userId, sequence: 2 },
    ]);
  });

  it.each([
    ['no password, address not verified', {}, false, 'initial', ['initialise']],
    ['a hash, address not verified', { hashedPassword: { value: HASH } }, false, 'active', ['verify_email']],
    ['a hash, address verified', { hashedPassword: { value: HASH } }, true, 'active', []],
  ])('%s: the mail rule holds', async (_, changes, isEmailVerified, state, mails) => {
    const user = await imported(changes, isEmailVerified);
    expect(await stateOf(user.userId)).toEqual({ state, passkeys: 0, mails });
    expect((await open(linkOf(user))).page.statusCode).toBe(200);
  });

  it('has no such member where none is asked for', async () => {
    const answer = await owner.call('POST', 'users/human/_import', record());
    expect(Object.keys(answer.json<object>())).toEqual(['userId', 'details']);
  });

  it('gives the same link to whoever repeats it under its key, and keeps it in clear nowhere', async () => {
    const body = record({ requestPasswordlessRegistration: true });
    const headers = { 'idempotency-key': 'once' };
    const first = await owner.call('POST', 'users/human/_import', body, { headers });
    const again = await owner.call('POST', 'users/human/_import', body, { headers, on: replica });
    expect(again.json()).toEqual(first.json());
    const user = first.json<Imported>();
    const code = new URL(linkOf(user)).searchParams.get('code') ?? '';
    for (const table of ['idempotency_keys', 'verification_codes', 'events', 'outbox', 'notifications']) {
      const { rows } = await api.sql.query(`SELECT FROM ${table} AS t WHERE t::text LIKE '%' || $1 || '%'`, [
        code,
      ]);
      expect([table, rows.length]).toEqual([table, 0]);
      const { rows: binary } = await api.sql.query(
        `SELECT FROM ${table} AS t WHERE t::text LIKE '%' || encode($1::bytea, 'hex') || '%'`,
        [Buffer.from(code)],
      );
      expect([table, binary.length]).toEqual([table, 0]);
    }
    // without the key it is somebody who is there already
    expect((await owner.call('POST', 'users/human/_import', body)).statusCode).toBe(409);
  });

  it('is refused where a user is added and not imported', async () => {
    const body = record({ hashedPassword: undefined, requestPasswordlessRegistration: true });
    const answer = await owner.call('POST', 'users/human', body);
    expect(answer.json()).toEqual({ code: 3, message: 'requestPasswordlessRegistration is not supported' });
  });
});

describe('the page', () => {
  it('adds a passkey that signs in alone, and is over then', async () => {
    const user = await imported();
    const { page, asked, send, browser, key } = await open(linkOf(user));
    expectPageHeaders(page);
    expect(page.body).toContain('Create your passkey');
    // without scripts it says what is needed, and what else there is
    expect(page.body).toMatch(/id="passkey-absent">[^<]*JavaScript[^<]*Forgotten password\?/);
    const options = await asked();
    expect(options.authenticatorSelection).toEqual({
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    });
    const done = await send(key.register(options));
    expect(done.statusCode).toBe(200);
    expect(done.body).toContain('Your passkey is ready');
    expect(done.body).toContain('href="/login"');
    expect(await stateOf(user.userId)).toEqual({ state: 'active', passkeys: 1, mails: ['passkey_added'] });
    expect((await eventsOf(user.userId)).at(-1)).toMatchObject({
      type: 'user.human.passkey.added',
      actor: user.userId,
    });
    // nobody is signed in by it
    const silent = await browser.get(
      `/oauth/v2/authorize?${new URLSearchParams(codeRequest(client, { prompt: 'none' })).toString()}`,
    );
    expect(redirected(silent).get('error')).toBe('login_required');
    await expectOver(linkOf(user));
    expectErrorPage(await send(key.register(options)), 400);
    const fields = await browser.openSignIn(codeRequest(client));
    const assertion = (await browser.post('/login/passkey/challenge', fields)).json<AskedAssertion>();
    const credential = JSON.stringify(key.assert(assertion));
    const tokens = await tokensOf(
      api,
      client,
      await browser.post('/login/passkey', { ...fields, credential }),
    );
    expect(decodeJwt(tokens.id_token)).toMatchObject({
      sub: user.userId,
      amr: ['user', 'mfa'],
    });
  });

  it('makes somebody active who was to get a password by mail, whose link is over then', async () => {
    const user = await imported({}, false);
    const { asked, send, key } = await open(linkOf(user));
    expect((await send(key.register(await asked()))).statusCode).toBe(200);
    expect(await stateOf(user.userId)).toMatchObject({ state: 'active', passkeys: 1 });
    const { rows } = await api.sql.query(
      `SELECT FROM verification_codes WHERE user_id = $1 AND ended_at IS NULL`,
      [user.userId],
    );
    expect(rows).toHaveLength(0);
    expect((await eventsOf(user.userId)).map((event) => event.type)).toEqual([
      'user.human.imported',
      'user.human.passkey.link_made',
      'user.human.initialised',
      'user.human.passkey.added',
    ]);
  });

  it('may be opened, and a challenge asked for, as often as somebody likes', async () => {
    const user = await imported();
    for (let n = 0; n < 7; n += 1) {
      const { page, ask } = await open(linkOf(user));
      expect(page.statusCode).toBe(200);
      expect((await ask()).json()).toHaveProperty('challenge');
    }
    // nor does an authenticator that checks nobody use it up
    const { asked, send, key } = await open(linkOf(user));
    for (let n = 0; n < 6; n += 1) {
      const refused = await send(key.register(await asked(), { verified: false }));
      expect(refused.statusCode).toBe(400);
      expect(refused.body).toContain('The passkey was not accepted');
    }
    expect((await send(key.register(await asked()))).statusCode).toBe(200);
  });

  it('is over after an hour, for whoever opened it before as well', async () => {
    const user = await imported();
    const { asked, ask, send, key } = await open(linkOf(user));
    await api.advance(3590);
    const options = await asked();
    await api.advance(20);
    await expectOver(linkOf(user));
    expectErrorPage(await send(key.register(options)), 400);
    expect((await ask()).statusCode).toBe(400);
    expect(await stateOf(user.userId)).toMatchObject({ passkeys: 0 });
  });

  it.each(['_deactivate', '_lock'])('is over for good after %s', async (change) => {
    const user = await imported();
    const { asked, send, key } = await open(linkOf(user));
    const options = await asked();
    expect((await owner.call('POST', `users/${user.userId}/${change}`, {})).statusCode).toBe(200);
    expectErrorPage(await send(key.register(options)), 400);
    const back = change === '_lock' ? '_unlock' : '_reactivate';
    expect((await owner.call('POST', `users/${user.userId}/${back}`, {})).statusCode).toBe(200);
    await expectOver(linkOf(user));
  });

  it('is over with its user', async () => {
    const user = await imported();
    expect((await owner.call('DELETE', `users/${user.userId}`)).statusCode).toBe(200);
    await expectOver(linkOf(user));
  });

  it.each([
    ['wrong', (link: string) => link.replace(/code=.{12}/, 'code=ABCDEFGHJKLM')],
    ['cut', (link: string) => link.slice(0, -3)],
    ['none', (link: string) => link.replace(/&code=.*/, '')],
  ])('is of no use with a code that is %s', async (kind, spoil) => {
    const user = await imported();
    const bad = spoil(linkOf(user));
    if (kind !== 'wrong') return await expectOver(bad);
    const { ask, send, fields, key } = await open(bad);
    expect((await ask()).statusCode).toBe(409);
    // a challenge that somebody else's code got is of no use with a wrong one
    const right = await open(linkOf(user));
    const credential = key.register(await right.asked());
    expectErrorPage(await send(credential, right.browser, fields), 400);
    for (let n = 0; n < 3; n += 1) await ask();
    await expectOver(linkOf(user));
    expect(await stateOf(user.userId)).toMatchObject({ passkeys: 0 });
  });

  it('takes no answer that another browser, link or site asked for, and each once', async () => {
    const [one, two] = [await imported(), await imported()];
    const first = await open(linkOf(one));
    const second = await open(linkOf(two));
    const options = await first.asked();
    const credential = first.key.register(options);
    // another browser that has the link, with a cookie of its own
    const thief = await open(linkOf(one));
    await thief.asked();
    expect((await thief.send(credential)).body).toContain('The passkey was not accepted');
    expect((await thief.send(credential, new TestBrowser(api))).statusCode).toBe(400);
    expect((await second.send(credential, first.browser)).statusCode).toBe(400);
    expectErrorPage(await first.send(credential, first.browser, second.fields), 400);
    const elsewhere = await first.browser.post(
      CHALLENGE,
      { ...first.fields },
      { origin: 'https://evil.test' },
    );
    expect(elsewhere.statusCode).toBe(403);
    const evil = first.key.register(options, { origin: 'https://evil.test' });
    expect((await first.send(evil)).statusCode).toBe(400);
    expect(await stateOf(one.userId)).toMatchObject({ passkeys: 0 });
    expect(await stateOf(two.userId)).toMatchObject({ passkeys: 0 });
    expect((await first.send(credential)).statusCode).toBe(200);
  });

  it('adds one passkey when it is used in parallel on two replicas', async () => {
    const user = await imported();
    const tries = await Promise.all(
      [api, replica, api, replica].map(async (at) => {
        const opened = await open(linkOf(user), new TestBrowser(at));
        const credential = opened.key.register(await opened.asked());
        return () => opened.send(credential);
      }),
    );
    const statuses = await Promise.all(tries.map(async (send) => (await send()).statusCode));
    expect(statuses.toSorted()).toEqual([200, 400, 400, 400]);
    expect(await stateOf(user.userId)).toMatchObject({ passkeys: 1, mails: ['passkey_added'] });
  });
});

describe('a manager', () => {
  it('makes a link for somebody who is there, which ends the one before', async () => {
    const user = await imported();
    const answer = await owner.call('POST', `users/${user.userId}/passwordless/_link`, {});
    expect(answer.json()).toEqual({
      details: {
        sequence: '3',
        changeDate: expect.any(String) as string,
        resourceOwner: world.orgId,
      },
      link: expect.stringContaining('/passkey/register?') as string,
      lifetime: '3600s',
      expiration: '3600s',
    });
    await expectOver(linkOf(user));
    const { asked, send, key } = await open(answer.json<{ link: string }>().link);
    expect((await send(key.register(await asked()))).statusCode).toBe(200);
  });

  it('has it ended by whatever ends the access of its user', async () => {
    const { userId } = await aUser(world);
    const link = await linkFor(userId);
    const body = { password: 'Marker-An0ther!' };
    expect((await owner.call('POST', `users/${userId}/password`, body)).statusCode).toBe(200);
    await expectOver(link);
  });

  it('makes none for themselves, for somebody above them, for a service user, for nobody, and for who is shut out', async () => {
    const path = (id: string) => `users/${id}/passwordless/_link`;
    const own = await owner.call('POST', path(owner.userId), {});
    expect(own.json()).toEqual(errorBody(9, 'Somebody else must reset your factors', 'COMMAND-Fr3s1'));
    expect((await owner.call('POST', path(root.userId), {})).statusCode).toBe(403);
    const robot = await aServiceUser(world);
    expect((await owner.call('POST', path(robot.userId), {})).json()).toMatchObject({ code: 9 });
    expect((await robot.call('POST', path(robot.userId), {})).statusCode).toBe(403);
    expect((await owner.call('POST', path('123'), {})).statusCode).toBe(404);
    const { userId } = await aUser(world);
    await owner.call('POST', `users/${userId}/_lock`, {});
    expect((await owner.call('POST', path(userId), {})).json()).toMatchObject({ code: 9 });
    expect((await owner.call('POST', path(userId), { send: true })).statusCode).toBe(400);
  });

  it("does not rise with a user whose passkey, or link, could be the manager's own", async () => {
    const manager = await aServiceUser(world, 'ORG_USER_MANAGER');
    const [used, unused, own] = [await aUser(world), await aUser(world), await imported()];
    const linkBy = async (userId: string, by = manager) =>
      (await by.call('POST', `users/${userId}/passwordless/_link`, {})).json<{ link: string }>().link;
    const opened = await open(await linkBy(used.userId));
    expect((await opened.send(opened.key.register(await opened.asked()))).statusCode).toBe(200);
    const waiting = await linkBy(unused.userId);
    const promote = async (userId: string) =>
      (await root.call('POST', 'orgs/me/members', { userId, roles: ['ORG_OWNER'] })).json<{
        endedCredentials?: readonly { readonly kind: string }[];
      }>().endedCredentials;
    expect(await promote(used.userId)).toEqual([{ kind: 'passkey', id: expect.any(String) as string }]);
    expect(await stateOf(used.userId)).toMatchObject({ passkeys: 0 });
    expect((await eventsOf(used.userId)).at(-1)).toMatchObject({ type: 'user.human.passkey.removed' });
    expect(await promote(unused.userId)).toEqual([
      { kind: 'passkey_link', id: expect.any(String) as string },
    ]);
    await expectOver(waiting);
    // what somebody made who could give the role stays
    await api.advance(6);
    const theirs = await open(await linkBy(own.userId, root));
    expect((await theirs.send(theirs.key.register(await theirs.asked()))).statusCode).toBe(200);
    expect(await promote(own.userId)).toBeUndefined();
    expect(await stateOf(own.userId)).toMatchObject({ passkeys: 1 });
  });
});
