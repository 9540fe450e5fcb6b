import { afterEach, describe, expect, it, vi } from 'vitest';
import { EndOrganizationSessions } from '../../../src/domain/organizations/end-organization-sessions.js';
import { OutboxStore } from '../../../src/domain/outbox/outbox.store.js';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import { SessionsStore } from '../../../src/domain/sessions/sessions.store.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { useReplica } from '../../support/api.js';
import { anApplication, anOwnApplication, type TestClient } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  obtainTokens,
  redemption,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { eventTypesOf } from '../../support/events.js';
import { given } from '../../support/given.js';
import { aRobot, aServiceUser, bySecret } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

// What is ended stays ended: by whoever ends all sessions, and by what is switched off and on again.

const API_AUDIENCE = 'openid offline_access urn:zitadel:iam:org:project:id:zitadel:aud';

const { api, world: home } = useWorld();
const replica = useReplica(api);
const root = given(() => aServiceUser(home, 'IAM_OWNER'));
afterEach(() => {
  vi.restoreAllMocks();
});

const post = async (world: World, path: string) => {
  const response = await root.call('POST', path, {}, { headers: { 'x-zitadel-orgid': world.orgId } });
  expect(response.statusCode, response.body).toBe(200);
};
const offAndOn = async (world: World, path: string) => {
  await post(world, `${path}/_deactivate`);
  await post(world, `${path}/_reactivate`);
};
const refresh = async (client: TestClient, tokens: TokenAnswer) =>
  await refreshTokens(replica, client, tokens);
const alive = async ({ access_token: token }: TokenAnswer) =>
  (await userinfo(replica, token)).statusCode === 200;

/** A sign-in at an application, all that came of it, and a code that waits to be redeemed. */
async function letIn(client: TestClient, user: TestUser, scope = 'openid offline_access') {
  const browser = new TestBrowser(api);
  const tokens = await obtainTokens(api, client, user, { scope }, browser);
  const again = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
  const code = redirected(again).get('code') ?? '';
  expect(code).not.toBe('');
  return { client, browser, tokens, code };
}
type Access = Awaited<ReturnType<typeof letIn>>;

async function expectDead({ client, browser, tokens, code }: Access): Promise<void> {
  expect(await alive(tokens)).toBe(false);
  expect((await refresh(client, tokens)).json()).toMatchObject({ error: 'invalid_grant' });
  expect((await requestToken(replica, redemption(code), basic(client))).json()).toMatchObject({
    error: 'invalid_grant',
  });
  const silent = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
  expect(redirected(silent).get('error')).toBe('login_required');
}

/** Offline access goes on as after a logout; everything else is over. */
async function expectOfflineOnly({ client, browser, tokens, code }: Access): Promise<void> {
  expect(await alive(tokens)).toBe(false);
  const refreshed = await refresh(client, tokens);
  expect(refreshed.statusCode).toBe(200);
  expect(await alive(refreshed.json())).toBe(true);
  expect((await requestToken(replica, redemption(code), basic(client))).statusCode).toBe(400);
  const silent = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
  expect(redirected(silent).get('error')).toBe('login_required');
}

describe('S198: who ends all sessions of a user', () => {
  const end = async (world: World, user: TestUser, query = '', headers: Record<string, string> = {}) =>
    await root.call('DELETE', `users/${user.userId}/sessions${query}`, undefined, {
      headers: { 'x-zitadel-orgid': world.orgId, ...headers },
    });

  it('ends refresh tokens, codes and access tokens as well, also of applications with offline access', async () => {
    const client = await anApplication(home);
    const user = await aUser(home);
    const access = [await letIn(client, user), await letIn(client, user)];
    const other = await letIn(client, await aUser(home));
    const ended = await end(home, user);
    expect(ended.json()).toMatchObject({ details: { sequence: '2' } });
    for (const each of access) await expectDead(each);
    expect(await eventTypesOf(api, user.userId)).toEqual(['user.access_ended']);
    expect(await alive(other.tokens)).toBe(true);
    // and the user is let in again
    expect(await alive((await letIn(client, user)).tokens)).toBe(true);
  });

  it('keeps offline access where that is asked for, in so many words', async () => {
    const client = await anApplication(home);
    const user = await aUser(home);
    const access = await letIn(client, user);
    for (const value of ['', 'yes', '1', 'TRUE', 'true&keepOfflineAccess=true']) {
      const refused = await end(home, user, `?keepOfflineAccess=${value}`);
      expect(refused.json()).toMatchObject({
        code: 3,
        message: expect.stringContaining('keepOfflineAccess must be true or false') as string,
      });
    }
    expect((await end(home, user, '?keepOffline=true')).statusCode).toBe(400);
    const one = await root.call('DELETE', `users/${user.userId}/sessions/1?keepOfflineAccess=true`);
    expect(one.json()).toMatchObject({ code: 3 });
    expect(await alive(access.tokens)).toBe(true);
    expect((await end(home, user, '?keepOfflineAccess=true')).statusCode).toBe(200);
    await expectOfflineOnly(access);
    expect(await eventTypesOf(api, user.userId)).toEqual([]);
  });

  it('is not taken for another call with the same Idempotency-Key', async () => {
    const user = await aUser(home);
    const key = { 'idempotency-key': `k-${user.userId}` };
    expect((await end(home, user, '?keepOfflineAccess=true', key)).statusCode).toBe(200);
    expect((await end(home, user, '?keepOfflineAccess=true', key)).statusCode).toBe(200);
    expect((await end(home, user, '', key)).statusCode).toBe(422);
  });

  it('ends them for users whose account was stolen and who do it themselves, and keeps it where they say so', async () => {
    const client = await anOwnApplication(home);
    const user = await aUser(home);
    const own = (tokens: TokenAnswer, query: string) =>
      call(api, 'DELETE', `/auth/v1/users/me/sessions${query}`, { pat: tokens.access_token });
    const first = await letIn(client, user, API_AUDIENCE);
    expect((await own(first.tokens, '?keepOfflineAccess=no')).statusCode).toBe(400);
    expect((await own(first.tokens, '?keepOfflineAccess=true')).statusCode).toBe(200);
    await expectOfflineOnly(first);
    const stolen = await letIn(client, user);
    const second = await letIn(client, user, API_AUDIENCE);
    expect((await own(second.tokens, '')).statusCode).toBe(200);
    await expectDead(second);
    await expectDead(stolen);
    await expectDead(first);
  });

  it('leaves offline access when a user signs out', async () => {
    const client = await anApplication(home);
    const access = await letIn(client, await aUser(home));
    const { id_token: hint } = access.tokens;
    const out = await access.browser.get(`/oidc/v1/end_session?id_token_hint=${hint}`);
    expect(out.statusCode).toBeLessThan(400);
    await expectOfflineOnly(access);
  });

  it('is told to applications, and no refresh under way survives it', async () => {
    const client = await anApplication(home, { backChannelLogoutUri: 'https://rp.test/out' });
    const user = await aUser(home);
    for (let round = 0; round < 6; round += 1) {
      const access = await letIn(client, user);
      const others = await Promise.all([0, 1].map(() => letIn(client, user)));
      const [, ...raced] = await Promise.all([
        end(home, user),
        ...[access, ...others].map(({ tokens }) => refresh(client, tokens)),
      ]);
      for (const answer of raced) {
        if (answer.statusCode !== 200) continue;
        expect(await alive(answer.json())).toBe(false);
        expect((await refresh(client, answer.json())).statusCode).toBe(400);
      }
      for (const each of [access, ...others]) expect(await alive(each.tokens)).toBe(false);
    }
    const { rows } = await api.sql.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM logout_notices WHERE user_id = $1`,
      [user.userId],
    );
    expect(rows[0]?.n).toBe(18);
  });
});

describe('S198: an organization that was switched off and on again', () => {
  it('revives no session, code, refresh token or access token, neither of its users nor of its applications', async () => {
    const world = await anOrganization(api);
    const client = await anApplication(world);
    const elsewhere = await anApplication(home);
    const user = await aUser(world);
    const robot = await aRobot(world);
    const machine = (await bySecret(api, robot)).json<TokenAnswer>();
    const pat = await aServiceUser(world, 'ORG_OWNER');
    const dead = [await letIn(client, user), await letIn(elsewhere, user)];
    // somebody else's user at its application: their session is not its to end, what the application got is
    const guest = await letIn(client, await aUser(home));
    const bystander = await letIn(elsewhere, await aUser(home));
    expect(await alive(machine)).toBe(true);
    await offAndOn(world, 'orgs/me');
    for (const each of dead) await expectDead(each);
    expect(await alive(machine)).toBe(false);
    expect(await alive(guest.tokens)).toBe(false);
    expect((await refresh(client, guest.tokens)).statusCode).toBe(400);
    expect((await requestToken(api, redemption(guest.code), basic(client))).statusCode).toBe(400);
    expect(await alive(bystander.tokens)).toBe(true);
    expect((await refresh(elsewhere, bystander.tokens)).statusCode).toBe(200);
    // what lets in anew goes on: passwords, secrets, personal access tokens
    expect(await alive((await letIn(client, user)).tokens)).toBe(true);
    expect(await alive((await bySecret(api, robot)).json())).toBe(true);
    expect((await pat.call('GET', 'orgs/me')).statusCode).toBe(200);
  });

  it('begins no session for a sign-in that was under way', async () => {
    const world = await anOrganization(api);
    const client = await anApplication(world);
    const user = await aUser(world);
    const hashing = api.app.get(PasswordHashing);
    const verify = hashing.verify.bind(hashing);
    vi.spyOn(hashing, 'verify').mockImplementationOnce(async (hash, password, bill) => {
      const result = await verify(hash, password, bill);
      await post(world, 'orgs/me/_deactivate');
      return result;
    });
    const answered = await new TestBrowser(api).signIn(codeRequest(client), user);
    expect(answered.headers.location ?? '').not.toContain('code=');
    await post(world, 'orgs/me/_reactivate');
    const { rows } = await api.sql.query(`SELECT 1 FROM sessions WHERE user_id = $1`, [user.userId]);
    expect(rows).toEqual([]);
  });

  it('leaves nothing alive that raced with it', async () => {
    const world = await anOrganization(api);
    const client = await anApplication(world);
    const user = await aUser(world);
    const robot = await aRobot(world);
    for (let round = 0; round < 6; round += 1) {
      const access = await letIn(client, user);
      const browser = new TestBrowser(api);
      const fields = await browser.openSignIn(codeRequest(client));
      const form = { ...fields, loginName: user.loginName, password: 'Marker-Passw0rd!' };
      const [, refreshed, redeemed, machine, signedIn] = await Promise.all([
        post(world, 'orgs/me/_deactivate'),
        refresh(client, access.tokens),
        requestToken(api, redemption(access.code), basic(client)),
        bySecret(api, robot),
        browser.post('/login', form),
      ]);
      await post(world, 'orgs/me/_reactivate');
      for (const answer of [refreshed, redeemed]) {
        if (answer.statusCode !== 200) continue;
        expect(await alive(answer.json())).toBe(false);
        expect((await refresh(client, answer.json())).statusCode).toBe(400);
      }
      if (machine.statusCode === 200) expect(await alive(machine.json())).toBe(false);
      const code = new URL(signedIn.headers.location ?? '/', 'https://rp.test').searchParams.get('code');
      if (code !== null) {
        expect((await requestToken(api, redemption(code), basic(client))).statusCode).toBe(400);
      }
      const silent = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
      expect(redirected(silent).get('error')).toBe('login_required');
    }
  });

  it('has the rows of its sessions ended by a job, which tells applications and touches no newer session', async () => {
    const world = await anOrganization(api);
    const client = await anApplication(world, { backChannelLogoutUri: 'https://rp.test/out' });
    const users = await Promise.all([0, 1, 2, 3].map(() => aUser(world)));
    const accesses: Access[] = [];
    for (const user of users) accesses.push(await letIn(client, user));
    await offAndOn(world, 'orgs/me');
    // the same browser: its row is renewed, and is no earlier session
    const [first] = accesses;
    const [user] = users;
    if (first === undefined || user === undefined) throw new Error('nobody');
    const renewed = await obtainTokens(api, client, user, {}, first.browser);
    const { rows } = await api.sql.query<{ id: string }>(
      `SELECT id FROM outbox WHERE job_name = 'end-organization-sessions' AND payload ->> 'orgId' = $1`,
      [world.orgId],
    );
    expect(rows).toHaveLength(1);
    const { app } = api;
    const job = new EndOrganizationSessions(
      app.get(UnitOfWork),
      app.get(SessionsStore),
      app.get(OutboxStore),
    );
    const outboxId = rows[0]?.id ?? '';
    await Promise.all([job.run(world.orgId, outboxId, 1), job.run(world.orgId, outboxId, 1)]);
    expect(await job.run(world.orgId, outboxId, 1)).toEqual({ kind: 'ended' });
    const left = await api.sql.query<{ user_id: string }>(
      `SELECT user_id FROM sessions WHERE org_id = $1 AND ended_at IS NULL`,
      [world.orgId],
    );
    expect(left.rows).toEqual([{ user_id: user.userId }]);
    expect(await alive(renewed)).toBe(true);
    const told = await api.sql.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM logout_notices WHERE org_id = $1`,
      [world.orgId],
    );
    expect(told.rows).toEqual([{ n: 3 }]);
    expect((await api.sql.query(`SELECT 1 FROM outbox WHERE id = $1`, [outboxId])).rows).toEqual([]);
  });
});

describe('S198: what else is switched off and on again', () => {
  it.each(['application', 'project'])('revives no token of an %s', async (what) => {
    const world = await anOrganization(api);
    const client = await anApplication(world);
    const user = await aUser(world);
    const access = await letIn(client, user);
    const project = `projects/${world.projectId}`;
    await offAndOn(world, what === 'project' ? project : `${project}/apps/${client.id}`);
    expect(await alive(access.tokens)).toBe(false);
    expect((await refresh(client, access.tokens)).json()).toMatchObject({ error: 'invalid_grant' });
    expect((await requestToken(api, redemption(access.code), basic(client))).statusCode).toBe(400);
    // single sign-on is the user's, not the application's
    const silent = await access.browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    expect(redirected(silent).has('code')).toBe(true);
  });

  it.each([
    ['_deactivate', '_reactivate'],
    ['_lock', '_unlock'],
  ])('revives nothing of a user by %s', async (off, on) => {
    const client = await anApplication(home);
    const user = await aUser(home);
    const access = await letIn(client, user);
    await post(home, `users/${user.userId}/${off}`);
    await post(home, `users/${user.userId}/${on}`);
    await expectDead(access);
  });

  it('leaves what a new secret does not touch: offline access of an application that knows it', async () => {
    const client = await anApplication(home);
    const access = await letIn(client, await aUser(home));
    const made = await root.call(
      'POST',
      `projects/${home.projectId}/apps/${client.id}/oidc_config/_generate_client_secret`,
      {},
    );
    expect(made.statusCode, made.body).toBe(200);
    const { clientSecret } = made.json<{ clientSecret: string }>();
    expect(await alive(access.tokens)).toBe(false);
    expect((await refresh(client, access.tokens)).statusCode).toBe(401);
    expect((await refresh({ ...client, clientSecret }, access.tokens)).statusCode).toBe(200);
  });
});
