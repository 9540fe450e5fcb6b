import { decodeJwt } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '../../../src/domain/permissions/permissions.js';
import { useReplica } from '../../support/api.js';
import { anApplication, anOwnApplication } from '../../support/applications.js';
import {
  basic,
  obtainTokens,
  refreshTokens,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { call, errorBody, postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';
import {
  actor,
  allowImpersonation,
  exchange,
  exchanged,
  EXCHANGING,
  give,
  introspected,
  subject,
  TYPES,
} from './support/exchanges.js';

// Two replicas on one database: what one has done holds on the other when its answer is there.

const { api, world } = useWorld();
const replica = useReplica(api);
const other = given(() => anOrganization(api));
const client = given(() => anOwnApplication(world, { grantTypes: EXCHANGING }));
const user = given(() => aUser(world));
const administrator = given(() => aUser(world));
const root = given(() => aUser(world));
beforeAll(async () => {
  await give(api, administrator, 'ORG_OWNER', world);
  await give(api, root, 'IAM_OWNER', world);
});
const impersonator = given(() => aServiceUser(world, 'ORG_END_USER_IMPERSONATOR'));
beforeEach(() => allowImpersonation(api, root));

const byId = ({ userId }: Pick<TestUser, 'userId'>) => subject(userId, TYPES.userId);

async function expectRefused(form: Record<string, string>, by = client, on = api): Promise<string> {
  return expectOAuthError(await exchange(on, by, form), 400, 'invalid_request');
}

async function tokenOf(whose: TestUser): Promise<string> {
  return (await obtainTokens(api, client, whose)).access_token;
}

async function refresh(token: string | undefined, on = api) {
  return await refreshTokens(on, client, { refresh_token: token });
}

const events = async (userId: string) =>
  (
    await api.sql.query<{ type: string; actor_id: string; org_id: string; data: Record<string, string> }>(
      `SELECT type, actor_id, org_id, data FROM events
       WHERE aggregate_type = 'user' AND aggregate_id = $1 AND type = 'user.impersonated'`,
      [userId],
    )
  ).rows;

it('is not for an actor who must have a second factor and has none', async () => {
  const org = await anOrganization(api);
  const theirs = await aServiceUser(org, 'ORG_OWNER');
  const boss = await aUser(org);
  const form = { ...byId(user), ...actor(await tokenOf(boss)) };
  await give(api, boss, 'IAM_END_USER_IMPERSONATOR', org);
  expect((await exchange(api, client, form)).statusCode).toBe(200);
  const body = { secondFactor: 'required', requiredFor: 'all', kinds: ['totp'] };
  expect((await theirs.call('PUT', 'policies/factors', body)).statusCode).toBe(200);
  await expectRefused(form);
});

describe('the setting', () => {
  const path = '/admin/v1/settings/security';

  it('is off until an instance owner turns it on, and off again at once', async () => {
    const owner = await aServiceUser(world, 'IAM_OWNER');
    const viewer = await aServiceUser(world, 'IAM_OWNER_VIEWER');
    await api.sql.query('DELETE FROM security_settings');
    const form = { ...byId(user), ...actor(impersonator.pat) };
    const disabled = 'Errors.TokenExchange.Impersonation.PolicyDisabled';
    expect(expectOAuthError(await exchange(api, client, form), 403, 'invalid_request')).toBe(disabled);
    const unset = await viewer.call('GET', path);
    expect(unset.json()).toEqual({
      details: { sequence: '0', resourceOwner: world.orgId },
      settings: { enableImpersonation: false },
    });

    const on = await owner.call('PUT', path, { enableImpersonation: true });
    expect(on.json()).toEqual({
      details: { sequence: '1', changeDate: expect.any(String) as string, resourceOwner: world.orgId },
    });
    expect((await viewer.call('GET', path, undefined, { on: replica })).json()).toMatchObject({
      details: { sequence: '1' },
      settings: { enableImpersonation: true },
    });
    const { access_token: token, refresh_token: refreshToken } = await exchanged(replica, client, {
      ...form,
      scope: 'openid offline_access',
    });
    expect((await userinfo(api, token)).statusCode).toBe(200);

    const off = await owner.call('PUT', path, { enableImpersonation: false });
    expect(off.json()).toMatchObject({ details: { sequence: '2' } });
    expect((await userinfo(replica, token)).statusCode).toBe(401);
    expectOAuthError(await refresh(refreshToken, replica), 400, 'invalid_grant');
    expectOAuthError(await exchange(replica, client, form), 403, 'invalid_request');
    const { rows } = await api.sql.query(
      `SELECT sequence, actor_id, data FROM events WHERE type = 'instance.security_settings.changed'
         AND actor_id = $1 ORDER BY position`,
      [owner.userId],
    );
    expect(rows).toEqual([
      {
        sequence: '1',
        actor_id: owner.userId,
        data: expect.objectContaining({ enableImpersonation: true }) as object,
      },
      {
        sequence: '2',
        actor_id: owner.userId,
        data: expect.objectContaining({ enableImpersonation: false }) as object,
      },
    ]);
  });

  it.each<Role>(['ORG_OWNER', 'IAM_OWNER_VIEWER', 'IAM_ADMIN_IMPERSONATOR'])(
    'is not for %s to change',
    async (role) => {
      const { pat } = await aServiceUser(world, role);
      const response = await call(api, 'PUT', path, { pat, body: { enableImpersonation: true } });
      expect(response.statusCode).toBe(403);
    },
  );

  it('takes nothing but itself', async () => {
    const { pat } = await aServiceUser(world, 'IAM_OWNER');
    for (const body of [{ enableImpersonation: 'yes' }, { enableImpersonation: true, more: 1 }]) {
      expect((await call(api, 'PUT', path, { pat, body })).statusCode).toBe(400);
    }
  });
});

describe('whoever acts', () => {
  it('is told by the tokens, in every form, and in the log of what happened', async () => {
    const before = await events(user.userId);
    const answer = await exchanged(api, client, {
      ...byId(user),
      ...actor(impersonator.pat),
      scope: 'openid offline_access',
      requested_token_type: TYPES.jwt,
    });
    const act = { iss: 'https://id.test', sub: impersonator.userId };
    expect(decodeJwt(answer.access_token)).toMatchObject({ sub: user.userId, act });
    expect(decodeJwt(answer.id_token)).toMatchObject({ sub: user.userId, act });
    expect(await introspected(replica, client, answer.access_token)).toMatchObject({ sub: user.userId, act });
    const refreshed = await refresh(answer.refresh_token, replica);
    const later = refreshed.json<TokenAnswer>();
    expect(await introspected(api, client, later.access_token)).toMatchObject({ sub: user.userId, act });
    expect(decodeJwt(later.id_token)).toMatchObject({ sub: user.userId, act });
    // one for the exchange, none for what comes of it
    const after = await events(user.userId);
    expect(after).toHaveLength(before.length + 1);
    expect(after.at(-1)).toEqual({
      type: 'user.impersonated',
      actor_id: impersonator.userId,
      org_id: world.orgId,
      data: { clientId: client.clientId, grantId: decodeJwt(answer.access_token).jti?.split('.')[0] },
    });
  });

  it('may be a person: auth_time and amr are theirs', async () => {
    const person = await aUser(world);
    await give(api, person, 'ORG_END_USER_IMPERSONATOR', world);
    const own = await obtainTokens(api, client, person);
    for (const acting of [actor(own.access_token), actor(own.id_token, TYPES.id)]) {
      const answer = await exchanged(api, client, { ...byId(user), ...acting });
      const told = decodeJwt(answer.id_token);
      expect(told).toMatchObject({ sub: user.userId, amr: ['pwd'], act: { sub: person.userId } });
      expect(told['auth_time']).toBe(decodeJwt(own.id_token)['auth_time']);
    }
  });

  it('lends no role to an application that was given no access: signing in to it is silent (S181)', async () => {
    const person = await aUser(world);
    await give(api, person, 'IAM_ADMIN_IMPERSONATOR', world);
    const foreign = await anApplication(other, { grantTypes: EXCHANGING });
    const own = await obtainTokens(api, foreign, person, { scope: 'openid' });
    for (const acting of [actor(own.access_token), actor(own.id_token, TYPES.id)]) {
      await expectRefused({ ...byId(user), ...acting, scope: 'openid profile email' }, foreign);
    }
  });

  it('never gets into the service’s own APIs', async () => {
    const person = await aUser(world);
    await give(api, person, 'ORG_ADMIN_IMPERSONATOR', world);
    const scope = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';
    const own = await obtainTokens(api, client, administrator, { scope });
    const acting = await obtainTokens(api, client, person, { scope });
    expect((await call(api, 'GET', 'policies/login', { pat: own.access_token })).statusCode).toBe(200);
    for (const type of [TYPES.access, TYPES.jwt]) {
      const answer = await exchanged(api, client, {
        ...subject(own.access_token),
        ...actor(acting.access_token),
        requested_token_type: type,
      });
      const response = await call(api, 'GET', 'policies/login', { pat: answer.access_token });
      expect(response.statusCode).toBe(403);
      expect(response.json()).toEqual(errorBody(7, 'Errors.TokenExchange.Token.NotForAPI', 'APP-Shi0J'));
    }
  });

  it('needs a role in the subject’s organization that is for such subjects (S107, S108)', async () => {
    const stranger = await aUser(other);
    const rows: readonly [Role | undefined, World, TestUser, boolean][] = [
      [undefined, world, user, false],
      ['ORG_OWNER', world, user, false],
      ['IAM_OWNER', world, user, false],
      ['ORG_END_USER_IMPERSONATOR', world, user, true],
      ['ORG_END_USER_IMPERSONATOR', world, administrator, false],
      ['ORG_END_USER_IMPERSONATOR', world, root, false],
      ['ORG_END_USER_IMPERSONATOR', world, stranger, false],
      ['ORG_END_USER_IMPERSONATOR', other, user, false],
      ['ORG_END_USER_IMPERSONATOR', other, stranger, true],
      ['ORG_ADMIN_IMPERSONATOR', world, user, true],
      ['ORG_ADMIN_IMPERSONATOR', world, administrator, true],
      ['ORG_ADMIN_IMPERSONATOR', world, root, false],
      ['ORG_ADMIN_IMPERSONATOR', other, administrator, false],
      ['IAM_END_USER_IMPERSONATOR', world, stranger, true],
      ['IAM_END_USER_IMPERSONATOR', world, administrator, false],
      ['IAM_ADMIN_IMPERSONATOR', world, administrator, true],
      ['IAM_ADMIN_IMPERSONATOR', world, stranger, true],
      ['IAM_ADMIN_IMPERSONATOR', world, root, false],
    ];
    for (const [role, where, whom, allowed] of rows) {
      const { pat } = await aServiceUser(world, role, where);
      const response = await exchange(api, client, { ...byId(whom), ...actor(pat) });
      const told = [role, where === world, whom.userId, response.statusCode];
      expect(told).toEqual([role, where === world, whom.userId, allowed ? 200 : 400]);
    }
  });

  it('learns nothing of whom they may not act for (S112)', async () => {
    const absent = { userId: 'nobody' as TestUser['userId'] };
    const answers = await Promise.all(
      [absent, administrator, root, await aUser(other)].map(async (whom) => {
        return (await exchange(api, client, { ...byId(whom), ...actor(impersonator.pat) })).body;
      }),
    );
    expect(new Set(answers).size).toBe(1);
  });

  it('does not act for the locked or deactivated (S109)', async () => {
    for (const state of ['locked', 'inactive']) {
      const gone = await aUser(world);
      const own = await obtainTokens(api, client, gone);
      await api.sql.query('UPDATE users SET state = $2, token_epoch = token_epoch + 1 WHERE id = $1', [
        gone.userId,
        state,
      ]);
      await expectRefused({ ...byId(gone), ...actor(impersonator.pat) });
      await expectRefused(subject(own.access_token));
      await expectRefused(subject(own.id_token, TYPES.id));
    }
  });

  it('presents a token of their own that is not for others, or one for this client (S103)', async () => {
    const stranger = await anApplication(other, { grantTypes: EXCHANGING });
    await expectRefused({ ...byId(user), ...actor(impersonator.pat) }, stranger);
    const elsewhere = await obtainTokens(api, stranger, await aUser(other));
    expect(await expectRefused({ ...byId(user), ...actor(elsewhere.access_token) })).toBe(
      'actor_token invalid',
    );
  });
});

describe('a chain', () => {
  it('keeps everybody who acted, whatever is exchanged for what, and ends at five (S110)', async () => {
    const first = await exchanged(api, client, { ...byId(user), ...actor(impersonator.pat) });
    for (const [token, type] of [
      [first.access_token, TYPES.access],
      [first.id_token, TYPES.id],
    ] as const) {
      const again = await exchanged(api, client, subject(token, type));
      expect(await introspected(api, client, again.access_token)).toMatchObject({
        sub: user.userId,
        act: { sub: impersonator.userId },
      });
    }
    const actors = [impersonator.userId];
    let { access_token: token } = first;
    for (let depth = 2; depth <= 5; depth += 1) {
      const next = await aServiceUser(world, 'ORG_END_USER_IMPERSONATOR');
      actors.unshift(next.userId);
      token = (await exchanged(api, client, { ...subject(token), ...actor(next.pat) })).access_token;
      const told = await introspected(api, client, token);
      const seen: string[] = [];
      for (
        let act = told['act'] as { sub: string; act?: never } | undefined;
        act !== undefined;
        act = act.act
      ) {
        seen.push(act.sub);
      }
      expect(seen).toEqual(actors);
    }
    await expectRefused({ ...subject(token), ...actor(impersonator.pat) });
  });

  it('holds as long as every part of it does', async () => {
    const [near, far] = [
      await aServiceUser(world, 'ORG_END_USER_IMPERSONATOR'),
      await aServiceUser(world, 'ORG_END_USER_IMPERSONATOR'),
    ];
    const first = await exchanged(api, client, { ...byId(user), ...actor(far.pat) });
    const second = await exchanged(api, client, { ...subject(first.access_token), ...actor(near.pat) });
    const third = await exchanged(api, client, subject(second.access_token));
    expect((await userinfo(replica, third.access_token)).statusCode).toBe(200);
    await api.sql.query('DELETE FROM memberships WHERE user_id = $1', [far.userId]);
    for (const { access_token: token } of [first, second, third]) {
      expect((await userinfo(replica, token)).statusCode).toBe(401);
    }
  });

  it('is not endless without new actors either', async () => {
    let { access_token: token } = await obtainTokens(api, client, user);
    let generations = 0;
    for (; generations < 20; generations += 1) {
      const response = await exchange(api, client, { ...subject(token), scope: 'openid' });
      if (response.statusCode !== 200) break;
      token = response.json<TokenAnswer>().access_token;
    }
    expect(generations).toBe(10);
  });
});

describe('what came of an exchange ends with', () => {
  interface Scene {
    readonly subject: TestUser;
    readonly subjectTokens: TokenAnswer;
    readonly actor: TestUser;
    readonly actorTokens: TokenAnswer;
    readonly pat: ServiceUser;
  }
  const endSession = (userId: string) =>
    api.sql.query(`UPDATE sessions SET ended_at = app_now(), end_reason = 'signed_out' WHERE user_id = $1`, [
      userId,
    ]);
  const revokeGrants = (tokens: TokenAnswer) =>
    postForm(api, '/oauth/v2/revoke', { token: tokens.refresh_token ?? '' }, basic(client));
  const shut = (userId: string) =>
    api.sql.query(`UPDATE users SET state = 'inactive', token_epoch = token_epoch + 1 WHERE id = $1`, [
      userId,
    ]);
  const raise = (userId: string) =>
    api.sql.query(`UPDATE users SET token_epoch = token_epoch + 1 WHERE id = $1`, [userId]);

  it.each<[string, (scene: Scene) => Promise<unknown>]>([
    ['the subject’s session', (scene) => endSession(scene.subject.userId)],
    ['the subject’s grant', (scene) => revokeGrants(scene.subjectTokens)],
    ['the subject’s deactivation', (scene) => shut(scene.subject.userId)],
    ['the subject’s other tokens', (scene) => raise(scene.subject.userId)],
    ['the actor’s session', (scene) => endSession(scene.actor.userId)],
    ['the actor’s grant', (scene) => revokeGrants(scene.actorTokens)],
    ['the actor’s deactivation', (scene) => shut(scene.actor.userId)],
    ['the actor’s other tokens', (scene) => raise(scene.actor.userId)],
    [
      'the actor’s right (S113)',
      (scene) => api.sql.query('DELETE FROM memberships WHERE user_id = $1', [scene.actor.userId]),
    ],
    ['the subject’s rise', (scene) => give(api, scene.subject, 'ORG_OWNER', world)],
  ])('%s, on every replica', async (_name, end) => {
    const [acted, acting] = [await aUser(world), await aUser(world)];
    await give(api, acting, 'ORG_END_USER_IMPERSONATOR', world);
    const scene: Scene = {
      subject: acted,
      subjectTokens: await obtainTokens(api, client, acted),
      actor: acting,
      actorTokens: await obtainTokens(api, client, acting),
      pat: impersonator,
    };
    const form = { ...subject(scene.subjectTokens.access_token), ...actor(scene.actorTokens.access_token) };
    const answer = await exchanged(api, client, form);
    expect((await userinfo(replica, answer.access_token)).statusCode).toBe(200);
    await end(scene);
    expect((await userinfo(replica, answer.access_token)).statusCode).toBe(401);
    expect(await introspected(replica, client, answer.access_token)).toEqual({ active: false });
    expectOAuthError(await refresh(answer.refresh_token, replica), 400, 'invalid_grant');
    await expectRefused(form, client, replica);
  });

  it('the actor’s personal access token', async () => {
    const { pat, userId } = await aServiceUser(world, 'ORG_END_USER_IMPERSONATOR');
    const { access_token: token } = await exchanged(api, client, { ...byId(user), ...actor(pat) });
    await api.sql.query('UPDATE personal_access_tokens SET revoked_at = app_now() WHERE user_id = $1', [
      userId,
    ]);
    expect((await userinfo(replica, token)).statusCode).toBe(401);
  });

  it('the expiry of the actor’s personal access token, and its refresh token with it', async () => {
    const { pat, userId } = await aServiceUser(world, 'ORG_END_USER_IMPERSONATOR');
    const expireIn = (seconds: number) =>
      api.sql.query(
        `UPDATE personal_access_tokens SET expires_at = app_now() + make_interval(secs => $2) WHERE user_id = $1`,
        [userId, seconds],
      );
    await expireIn(3600);
    const form = { ...byId(user), ...actor(pat), scope: 'openid offline_access' };
    const answer = await exchanged(api, client, form);
    expect((await userinfo(replica, answer.access_token)).statusCode).toBe(200);
    await expireIn(-1);
    expect((await userinfo(replica, answer.access_token)).statusCode).toBe(401);
    expectOAuthError(await refresh(answer.refresh_token, replica), 400, 'invalid_grant');
  });

  it('the deactivation of the application that the subject’s token was issued to', async () => {
    const first = await anApplication(world, { grantTypes: EXCHANGING });
    const tokens = await obtainTokens(api, first, user);
    const form = { ...subject(tokens.access_token), scope: 'openid offline_access' };
    const answer = await exchanged(api, client, form);
    expect((await userinfo(replica, answer.access_token)).statusCode).toBe(200);
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const app = `projects/${world.projectId}/apps/${first.id}`;
    expect((await owner.call('POST', `${app}/_deactivate`)).statusCode).toBe(200);
    expect((await userinfo(replica, answer.access_token)).statusCode).toBe(401);
    expectOAuthError(await refresh(answer.refresh_token, replica), 400, 'invalid_grant');
  });

  it('its own revocation, and nothing else does', async () => {
    const own = await obtainTokens(api, client, user);
    const answer = await exchanged(api, client, subject(own.access_token));
    await revokeGrants(answer);
    expect((await userinfo(replica, answer.access_token)).statusCode).toBe(401);
    expect((await userinfo(replica, own.access_token)).statusCode).toBe(200);
  });
});

describe('at once', () => {
  it('two exchanges of one token are two, each with its event', async () => {
    const before = await events(user.userId);
    const form = { ...byId(user), ...actor(impersonator.pat) };
    const answers = await Promise.all([api, replica, api, replica].map((on) => exchanged(on, client, form)));
    expect(new Set(answers.map(({ access_token: token }) => token)).size).toBe(4);
    expect(await events(user.userId)).toHaveLength(before.length + 4);
    const { rows } = await api.sql.query(
      `SELECT count(*)::int FROM authorizations WHERE lineage IS NOT NULL AND org_id = $1`,
      [world.orgId],
    );
    expect(rows[0]).not.toEqual({ count: 0 });
  });

  it('an exchange and the end of what it rests on leave nothing alive', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { pat, userId } = await aServiceUser(world, 'ORG_END_USER_IMPERSONATOR');
      const [response] = await Promise.all([
        exchange(replica, client, { ...byId(user), ...actor(pat) }),
        api.sql.query('DELETE FROM memberships WHERE user_id = $1', [userId]),
      ]);
      if (response.statusCode !== 200) continue;
      const { access_token: token } = response.json<TokenAnswer>();
      expect((await userinfo(api, token)).statusCode).toBe(401);
    }
  });

  it('a refused one writes nothing', async () => {
    const count = async () =>
      (
        await api.sql.query(
          `SELECT (SELECT count(*) FROM authorizations) + (SELECT count(*) FROM events) AS rows`,
        )
      ).rows;
    const before = await count();
    await expectRefused({ ...byId(root), ...actor(impersonator.pat) });
    await expectRefused(subject('at_x'));
    expect(await count()).toEqual(before);
  });
});
