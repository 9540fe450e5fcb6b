import { describe, expect, it } from 'vitest';
import { aReplica, useReplica, type TestApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
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
import { call, errorBody } from '../../support/calls.js';
import { eventsOf } from '../../support/events.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectRedirectedError } from '../oidc/support/answers.js';

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anApplication(world));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

type Change = '_lock' | '_unlock' | '_deactivate' | '_reactivate';

const change = (id: string, to: Change, options: { readonly pat?: string; readonly body?: unknown } = {}) =>
  call(api, 'POST', `users/${id}/${to}`, { pat: owner.pat, ...options });

async function stateOf(id: string): Promise<unknown> {
  const response = await owner.call('GET', `users/${id}`);
  return response.json<{ user: { state: string } }>().user.state;
}

const lockEventsOf = (id: string) => eventsOf(api, id, 'org_id', 'sequence', 'type', 'actor_id');

/** As ten wrong passwords in a row leave it, the last just now. */
async function lockOut({ userId, orgId }: TestUser): Promise<void> {
  await api.sql.query(
    `INSERT INTO password_attempts AS a (user_id, org_id, attempts, wrong, last_at) VALUES ($1, $2, 10, 10, app_now())
     ON CONFLICT (user_id) DO UPDATE
       SET attempts = a.attempts + 10, forgiven = a.attempts, wrong = 10, last_at = app_now()`,
    [userId, orgId],
  );
}

const refresh = (at: TestApi, tokens: TokenAnswer) => refreshTokens(at, client, tokens);

describe('locking a user', () => {
  it('answers with the details of the change and records an event', async () => {
    const { userId } = await aUser(world);
    const response = await change(userId, '_lock', { body: {} });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      details: {
        sequence: '2',
        changeDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
        resourceOwner: world.orgId,
      },
    });
    expect(await stateOf(userId)).toBe('USER_STATE_LOCKED');
    expect(await lockEventsOf(userId)).toEqual([
      { org_id: world.orgId, sequence: '2', type: 'user.locked', actor_id: owner.userId },
    ]);
  });

  it('is refused for one that is locked or inactive, and for a body with anything in it', async () => {
    const { userId } = await aUser(world);
    expect((await change(userId, '_lock', { body: { reason: 'x' } })).statusCode).toBe(400);
    await change(userId, '_lock');
    const again = await change(userId, '_lock');
    expect(again.statusCode).toBe(400);
    expect(again.json()).toEqual(errorBody(9, 'User is not active or initial', 'COMMAND-3NN8v'));
    const { userId: inactive } = await aUser(world);
    await change(inactive, '_deactivate');
    expect((await change(inactive, '_lock')).json()).toEqual(
      errorBody(9, 'User is not active or initial', 'COMMAND-3NN8v'),
    );
    expect(await stateOf(inactive)).toBe('USER_STATE_INACTIVE');
  });

  it.each(['_lock', '_unlock'] as const)('%s asks for user.write, in the right organization', async (to) => {
    const { userId } = await aUser(world);
    if (to === '_unlock') await change(userId, '_lock');
    const before = await stateOf(userId);
    const viewer = await aServiceUser(world, 'ORG_OWNER_VIEWER');
    const manager = await aServiceUser(world, 'ORG_USER_MANAGER');
    const other = await anOrganization(api);
    const stranger = await aServiceUser(other, 'ORG_OWNER');
    expect((await call(api, 'POST', `users/${userId}/${to}`)).statusCode).toBe(401);
    expect((await change(userId, to, { pat: viewer.pat })).statusCode).toBe(403);
    expect((await change(userId, to, { pat: stranger.pat })).statusCode).toBe(404);
    expect((await change('nobody', to)).statusCode).toBe(404);
    expect(await stateOf(userId)).toBe(before);
    expect((await change(userId, to, { pat: manager.pat })).statusCode).toBe(200);
  });

  it('does not reach somebody who runs the instance, from below', async () => {
    const { userId, orgId } = await aUser(world);
    await api.sql.query(`INSERT INTO memberships (user_id, user_org_id, role) VALUES ($1, $2, 'IAM_OWNER')`, [
      userId,
      orgId,
    ]);
    expect((await change(userId, '_lock')).statusCode).toBe(403);
    expect(await stateOf(userId)).toBe('USER_STATE_ACTIVE');
  });

  it('happens once when asked for 20 times at once', async () => {
    const { userId } = await aUser(world);
    const answers = await Promise.all(Array.from({ length: 20 }, () => change(userId, '_lock')));
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.statusCode === 400)).toHaveLength(19);
  });
});

describe('locking many users at once', () => {
  it('never waits for a connection that another change holds', async () => {
    const narrow = await aReplica(api, { DATABASE_POOL_SIZE: '2', DATABASE_PIPELINE_CONNECTIONS: '0' });
    const users = await Promise.all(Array.from({ length: 6 }, () => aUser(world)));
    const answers = await Promise.all(
      users.map(({ userId }) => owner.call('POST', `users/${userId}/_lock`, undefined, { on: narrow })),
    );
    expect(answers.map((answer) => answer.statusCode)).toEqual(users.map(() => 200));
  });
});

describe('a user whom an administrator has locked (S046)', () => {
  it('gets no token by whatever was had before, on any replica, not even after the unlock', async () => {
    const user = await aUser(world);
    const browser = new TestBrowser(replica);
    const tokens = await obtainTokens(replica, client, user, {}, browser);
    const begun = await browser.get(authorizeUrl(codeRequest(client)));
    const code = redirected(begun).get('code') ?? '';
    expect(code).not.toBe('');
    expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(200);

    const expectAllDead = async () => {
      for (const at of [api, replica]) {
        expect((await userinfo(at, tokens.access_token)).statusCode).toBe(401);
        expect((await refresh(at, tokens)).json()).toMatchObject({ error: 'invalid_grant' });
      }
      const redeemed = await requestToken(replica, redemption(code), basic(client));
      expect(redeemed.json()).toMatchObject({ error: 'invalid_grant' });
      const silent = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
      expectRedirectedError(silent, 'login_required');
    };
    await change(user.userId, '_lock');
    await expectAllDead();
    const { rows } = await api.sql.query(`SELECT end_reason FROM sessions WHERE user_id = $1`, [user.userId]);
    expect(rows).toEqual([{ end_reason: 'user_locked' }]);
    const refused = await browser.signIn(codeRequest(client), user);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('user name or password.');

    expect((await change(user.userId, '_unlock')).statusCode).toBe(200);
    await expectAllDead();
    const anew = await obtainTokens(replica, client, user, {}, browser);
    expect((await userinfo(api, anew.access_token)).statusCode).toBe(200);
  });

  it('cannot set a password by the link of a mail', async () => {
    const body = record({ hashedPassword: undefined });
    const { userId } = (await importHuman(api, owner.pat, body)).json<{ userId: string }>();
    const { rows } = await api.sql.query<{ id: string }>(
      `SELECT id FROM verification_codes WHERE user_id = $1 AND ended_at IS NULL`,
      [userId],
    );
    const open = () => api.app.inject({ url: `/password/init?id=${rows[0]?.id ?? ''}` });
    expect((await open()).statusCode).toBe(200);
    await change(userId, '_lock');
    expect((await open()).statusCode).toBe(400);
    await change(userId, '_unlock');
    expect(await stateOf(userId)).toBe('USER_STATE_INITIAL');
    expect((await open()).statusCode).toBe(200);
  });

  it('stays locked while wrong passwords come, and none of them is counted', async () => {
    const user = await aUser(world);
    await change(user.userId, '_lock');
    await new TestBrowser(api).signIn(codeRequest(client), user);
    const { rows } = await api.sql.query('SELECT 1 FROM password_attempts WHERE user_id = $1', [user.userId]);
    expect(rows).toEqual([]);
  });
});

describe('a user whom wrong passwords have locked out (S047)', () => {
  it('goes on with the sessions and tokens there are: sign-on elsewhere, refresh, userinfo', async () => {
    const user = await aUser(world);
    const browser = new TestBrowser(replica);
    const tokens = await obtainTokens(replica, client, user, {}, browser);
    await lockOut(user);
    expect((await new TestBrowser(api).signIn(codeRequest(client), user)).statusCode).toBe(400);

    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(200);
    expect((await refresh(api, tokens)).statusCode).toBe(200);
    const silent = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    expect(redirected(silent).has('code')).toBe(true);
    expect(await stateOf(user.userId)).toBe('USER_STATE_ACTIVE');
  });
});

describe('unlocking a user', () => {
  it('lets one in again whom an administrator has locked, and forgets wrong passwords', async () => {
    const user = await aUser(world);
    await lockOut(user);
    await change(user.userId, '_lock');
    const response = await change(user.userId, '_unlock', { body: {} });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ details: { sequence: '3', resourceOwner: world.orgId } });
    expect(await stateOf(user.userId)).toBe('USER_STATE_ACTIVE');
    expect((await lockEventsOf(user.userId)).map(({ type }) => type)).toEqual([
      'user.locked',
      'user.unlocked',
    ]);
    expect((await new TestBrowser(api).signIn(codeRequest(client), user)).statusCode).toBe(303);
  });

  it('lets one in again whom wrong passwords have locked out, and records who did it', async () => {
    const user = await aUser(world);
    await lockOut(user);
    expect((await new TestBrowser(api).signIn(codeRequest(client), user)).statusCode).toBe(400);
    const response = await change(user.userId, '_unlock');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ details: { sequence: '2' } });
    expect(await lockEventsOf(user.userId)).toEqual([
      { org_id: world.orgId, sequence: '2', type: 'user.password_unlocked', actor_id: owner.userId },
    ]);
    expect((await new TestBrowser(api).signIn(codeRequest(client), user)).statusCode).toBe(303);
  });

  it('keeps the sessions and tokens of one whom wrong passwords have locked out', async () => {
    const user = await aUser(world);
    const tokens = await obtainTokens(api, client, user);
    await lockOut(user);
    await change(user.userId, '_unlock');
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(200);
  });

  it('is refused where there is nothing to unlock, and changes nothing then', async () => {
    const user = await aUser(world);
    const expectNothing = async () => {
      const response = await change(user.userId, '_unlock');
      expect(response.statusCode).toBe(400);
      expect(response.json()).toEqual(errorBody(9, 'User is not locked', 'COMMAND-4M0ds'));
    };
    await expectNothing();
    await lockOut(user);
    await api.advance(86_400);
    await expectNothing();
    await lockOut(user);
    await change(user.userId, '_deactivate');
    await expectNothing();
    expect(await stateOf(user.userId)).toBe('USER_STATE_INACTIVE');
    const { rows } = await api.sql.query(
      'SELECT attempts - forgiven AS failures FROM password_attempts WHERE user_id = $1',
      [user.userId],
    );
    expect(rows).toEqual([{ failures: 10 }]);
    expect((await lockEventsOf(user.userId)).map(({ type }) => type)).toEqual(['user.deactivated']);
  });

  it('and setting, at once and often, end without a deadlock', async () => {
    const user = await aUser(world);
    await lockOut(user);
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => change(user.userId, index % 2 === 0 ? '_unlock' : '_lock')),
    );
    for (const answer of answers) expect([200, 400]).toContain(answer.statusCode);
  });
});
