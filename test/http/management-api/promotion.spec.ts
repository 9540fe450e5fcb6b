import { beforeAll, describe, expect, it } from 'vitest';
import { useReplica, type TestApi } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  obtainTokens,
  redirected,
  refreshTokens,
  TestBrowser,
  tokensOf,
} from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { API_SCOPE, aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

interface Ended {
  readonly kind: string;
  readonly id: string;
}

const { api } = useWorld();
const replica = useReplica(api);
const world = given(() => anOrganization(api));
const client = given(() => anApplication(world));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const manager = given(() => aServiceUser(world, 'ORG_USER_MANAGER'));
beforeAll(async () => {
  // what somebody makes in the first seconds of a role counts as made before it
  await api.advance(6);
});

async function robot(): Promise<string> {
  const body = { userName: `robot-${Math.random().toString(36).slice(2)}`, name: 'Robot' };
  const made = await owner.call('POST', 'users/machine', body);
  return made.json<{ userId: string }>().userId;
}

async function addToken(userId: string, by: ServiceUser, at: TestApi = api) {
  const made = await by.call('POST', `users/${userId}/pats`, {}, { on: at });
  return { ...made.json<{ tokenId: string; token: string }>(), statusCode: made.statusCode };
}

/** By the token that somebody lent them: the credential is theirs. */
async function addTokenBy(pat: string, userId: string) {
  const made = await call(api, 'POST', `users/${userId}/pats`, { pat, body: {} });
  expect(made.statusCode).toBe(200);
  return made.json<{ tokenId: string; token: string }>();
}

async function makeAll(userId: string, by: ServiceUser) {
  const { tokenId, token } = await addToken(userId, by);
  const body = { type: 'KEY_TYPE_JSON' };
  const key = await by.call('POST', `users/${userId}/keys`, body);
  const secret = await by.call('PUT', `users/${userId}/secret`, {});
  expect(secret.statusCode).toBe(200);
  return { tokenId, token, keyId: key.json<{ keyId: string }>().keyId };
}

const isLive = async (pat: string): Promise<boolean> =>
  (
    await replica.app.inject({
      url: '/oidc/v1/userinfo',
      headers: { authorization: `Bearer ${pat}` },
    })
  ).statusCode === 200;

async function promote(
  userId: string,
  roles: readonly string[],
  place: 'instance' | 'organization' = 'organization',
  method: 'POST' | 'PUT' = 'POST',
): Promise<readonly Ended[]> {
  const members = place === 'instance' ? '/admin/v1/members' : 'orgs/me/members';
  const path = method === 'PUT' ? `${members}/${userId}` : members;
  const body = method === 'PUT' ? { roles } : { userId, roles };
  const answer = await root.call(method, path, body);
  expect(answer.statusCode).toBe(200);
  return answer.json<{ endedCredentials?: readonly Ended[] }>().endedCredentials ?? [];
}

describe('S197: promotion', () => {
  it('S197: ends what somebody of lower rank made, on every replica, and lists it', async () => {
    const userId = await robot();
    const lower = await makeAll(userId, manager);
    const higher = await addToken(userId, root);
    const ended = await promote(userId, ['ORG_OWNER']);
    expect(ended).toEqual([
      { kind: 'machine_key', id: lower.keyId },
      { kind: 'machine_secret', id: userId },
      { kind: 'personal_access_token', id: lower.tokenId },
    ]);
    expect([await isLive(lower.token), await isLive(higher.token)]).toEqual([false, true]);
    const { rows } = await api.sql.query<{ type: string; actor_id: string }>(
      `SELECT type, actor_id FROM events WHERE data ->> 'reason' = 'user_promoted'
       AND (data ->> 'userId' = $1 OR aggregate_id = $1) ORDER BY type`,
      [userId],
    );
    expect(rows).toEqual([
      { type: 'user.machine.key.removed', actor_id: root.userId },
      { type: 'user.machine.secret.removed', actor_id: root.userId },
      { type: 'user.personal_access_token.removed', actor_id: root.userId },
    ]);
  });

  it('S197: compares with the maker at each promotion: an owner of the organization ranks below the instance', async () => {
    const userId = await robot();
    const byOwner = await addToken(userId, owner);
    expect(await promote(userId, ['ORG_OWNER_VIEWER'])).toEqual([]);
    expect(await promote(userId, ['ORG_OWNER'], 'organization', 'PUT')).toEqual([]);
    expect(await isLive(byOwner.token)).toBe(true);
    const { tokenId } = await addTokenBy(byOwner.token, userId);
    const ended = await promote(userId, ['IAM_OWNER_VIEWER'], 'instance');
    // what it made for itself came from a credential that an owner of the organization had
    expect(ended.map(({ id }) => id).sort()).toEqual([byOwner.tokenId, tokenId].sort());
    expect(await isLive(byOwner.token)).toBe(false);
    const again = await addToken(userId, root);
    expect(await promote(userId, ['IAM_OWNER'], 'instance', 'PUT')).toEqual([]);
    expect(await isLive(again.token)).toBe(true);
  });

  it('S197: uses the rank that makers had at the time, whatever rank they have now', async () => {
    const [maker, target] = [await robot(), await robot()];
    expect(await promote(maker, ['ORG_USER_MANAGER'])).toEqual([]);
    await api.advance(6);
    const lent = await addToken(maker, manager);
    const { tokenId, token } = await addTokenBy(lent.token, target);
    expect((await promote(maker, ['IAM_OWNER'], 'instance')).map(({ id }) => id)).toEqual([lent.tokenId]);
    await api.advance(3600);
    expect(await promote(target, ['IAM_OWNER'], 'instance')).toEqual([
      { kind: 'personal_access_token', id: tokenId },
    ]);
    expect(await isLive(token)).toBe(false);
  });

  it('S197: the rank of a maker who was raised where they had a role before counts from then on', async () => {
    const [maker, target] = [await robot(), await robot()];
    await promote(maker, ['ORG_USER_MANAGER']);
    await api.advance(6);
    const lent = await addToken(maker, manager);
    const { tokenId } = await addTokenBy(lent.token, target);
    await api.advance(3600);
    await promote(maker, ['ORG_USER_MANAGER', 'ORG_OWNER'], 'organization', 'PUT');
    expect(await promote(target, ['ORG_OWNER'])).toEqual([{ kind: 'personal_access_token', id: tokenId }]);
  });

  it('S197: ends what they agreed to with an application that a lower rank gave access to, and lists it', async () => {
    const user = await aUser(world);
    const managementAccess = 'organization';
    const lower = await anApplication(world, { managementAccess, accessGivenBy: owner.userId });
    const higher = await anApplication(world, { managementAccess, accessGivenBy: root.userId });
    const agreedTo = async (application: TestClient): Promise<string> => {
      const browser = new TestBrowser(api);
      const parameters = codeRequest(application, { scope: `openid offline_access ${API_SCOPE}` });
      const asked = await browser.signIn(parameters, user);
      const page = await browser.get(asked.headers.location ?? '');
      const form = { ...hiddenFields(page.body), decision: 'allow' };
      const answer = await tokensOf(api, application, await browser.post('/login/consent', form));
      return answer.access_token;
    };
    const [byOwner, byRoot] = [await agreedTo(lower), await agreedTo(higher)];
    expect([await isLive(byOwner), await isLive(byRoot)]).toEqual([true, true]);
    expect(await promote(user.userId, ['IAM_OWNER_VIEWER'], 'instance')).toEqual([
      { kind: 'application', id: lower.id },
    ]);
    expect([await isLive(byOwner), await isLive(byRoot)]).toEqual([false, true]);
    const { rows } = await api.sql.query<{ actor_id: string }>(
      `SELECT actor_id FROM events WHERE type = 'consent.withdrawn' AND data ->> 'applicationId' = $1`,
      [lower.id],
    );
    expect(rows).toEqual([{ actor_id: root.userId }]);
  });

  it('S197: an unknown maker counts as the lowest rank, and a demotion ends nothing', async () => {
    const userId = await robot();
    const { token } = await addToken(userId, root);
    await api.sql.query(`UPDATE personal_access_tokens SET made_by = NULL WHERE user_id = $1`, [userId]);
    expect(await promote(userId, ['ORG_USER_MANAGER'])).toHaveLength(1);
    expect(await isLive(token)).toBe(false);
    const kept = await addToken(userId, manager);
    expect(await promote(userId, ['ORG_USER_MANAGER'], 'organization', 'PUT')).toEqual([]);
    expect(await isLive(kept.token)).toBe(true);
  });

  it('S197: also ends what is made at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const userId = await robot();
      const [made] = await Promise.all([
        Promise.all([api, replica, api, replica].map((at) => addToken(userId, manager, at))),
        promote(userId, ['ORG_OWNER']),
      ]);
      for (const { statusCode, token } of made) {
        expect([200, 403]).toContain(statusCode);
        if (statusCode === 200) expect(await isLive(token)).toBe(false);
      }
    }
  });

  it('S197: in two places at once judges all roles together', async () => {
    const userId = await robot();
    const { token } = await addToken(userId, manager);
    const ended = await Promise.all([
      promote(userId, ['ORG_OWNER']),
      promote(userId, ['IAM_OWNER'], 'instance'),
    ]);
    expect(ended.flat()).toHaveLength(1);
    expect(await isLive(token)).toBe(false);
  });

  it("S371: signs out whom a provider of their organization may have signed in, above that one's owners alone", async () => {
    const person = await aUser(world);
    await api.sql.query(
      `WITH p AS (INSERT INTO identity_providers (org_id, name, kind, settings)
         VALUES ($1, 'P', 'oidc', '{}') RETURNING id)
       INSERT INTO user_identities (provider_id, subject, org_id, user_id) SELECT p.id, $2, $1, $2 FROM p`,
      [world.orgId, person.userId],
    );
    const browser = new TestBrowser(api);
    const tokens = await obtainTokens(api, client, person, {}, browser);
    expect(await promote(person.userId, ['ORG_OWNER'])).toEqual([]);
    expect(await isLive(tokens.access_token)).toBe(true);
    expect(await promote(person.userId, ['IAM_OWNER_VIEWER'], 'instance')).toEqual([]);
    expect(await isLive(tokens.access_token)).toBe(false);
    expect((await refreshTokens(api, client, tokens)).json()).toMatchObject({
      error: 'invalid_grant',
    });
    const silent = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    expect(redirected(silent).get('error')).toBe('login_required');
  });

  it('S371: takes a password that came from the old system of an organization', async () => {
    const person = await aUser(world);
    await api.sql.query(`UPDATE user_passwords SET made_by = '@organization' WHERE user_id = $1`, [
      person.userId,
    ]);
    expect(await promote(person.userId, ['ORG_OWNER'])).toEqual([]);
    expect(await promote(person.userId, ['IAM_OWNER'], 'instance')).toEqual([
      { kind: 'password', id: person.userId },
    ]);
  });

  it('S197: takes the password that a manager set for a person, and keeps one that they chose', async () => {
    const person = await aUser(world);
    const kept = await aUser(world);
    const body = { password: 'Known-to-the-manager-1!' };
    const set = await manager.call('POST', `users/${person.userId}/password`, body);
    expect(set.statusCode).toBe(200);
    expect(await promote(person.userId, ['IAM_OWNER'], 'instance')).toEqual([
      { kind: 'password', id: person.userId },
    ]);
    expect(await promote(kept.userId, ['ORG_OWNER'])).toEqual([]);
    const { rows } = await api.sql.query(`SELECT FROM user_passwords WHERE user_id = $1`, [person.userId]);
    expect(rows).toEqual([]);
    const browser = new TestBrowser(api);
    const answer = await browser.signIn(codeRequest(client), kept);
    expect(redirected(answer).get('code')).not.toBeNull();
    const silent = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    expect(redirected(silent).get('code')).not.toBeNull();
  });

  it('S388: knows who set a password, and when a secret was made, without the log of what happened', async () => {
    const [person, own, machine] = [await aUser(world), await aUser(world), await robot()];
    const body = { password: 'Known-to-the-manager-1!' };
    for (const { userId } of [person, own]) {
      expect((await manager.call('POST', `users/${userId}/password`, body)).statusCode).toBe(200);
    }
    // the next sign-in asks for one that its user chooses
    const browser = new TestBrowser(api);
    const signedIn = await browser.signIn(codeRequest(client), own, body.password);
    const page = await browser.get(signedIn.headers.location ?? '');
    const next = { newPassword: 'Known-to-nobody-else-1!', repeatPassword: 'Known-to-nobody-else-1!' };
    const form = { ...hiddenFields(page.body), ...body, ...next };
    const changed = await browser.post('/login/change-password', form);
    expect(redirected(changed).has('code')).toBe(true);
    const maker = await robot();
    await promote(maker, ['ORG_USER_MANAGER']);
    await api.advance(6);
    const { token } = await addToken(maker, manager);
    const secret = await call(api, 'PUT', `users/${machine}/secret`, { pat: token, body: {} });
    expect(secret.statusCode).toBe(200);
    await api.advance(3600);
    await promote(maker, ['ORG_OWNER'], 'organization', 'PUT');
    await api.advance(6);
    // an event that is left must not make the secret younger
    expect((await owner.call('PUT', `users/${machine}/machine`, { name: 'Renamed' })).statusCode).toBe(200);
    await api.sql.query(
      `DELETE FROM events WHERE aggregate_id = ANY ($1) AND type <> 'user.machine.changed'`,
      [[person.userId, own.userId, machine]],
    );
    expect(await promote(person.userId, ['ORG_OWNER'])).toEqual([{ kind: 'password', id: person.userId }]);
    expect(await promote(own.userId, ['ORG_OWNER'])).toEqual([]);
    expect(await promote(machine, ['ORG_OWNER'])).toEqual([{ kind: 'machine_secret', id: machine }]);
  });

  it('S388: believes the log where a process of the release before has replaced a password', async () => {
    const person = await aUser(world);
    const body = { password: 'Known-to-the-manager-1!' };
    expect((await manager.call('POST', `users/${person.userId}/password`, body)).statusCode).toBe(200);
    // that one leaves the maker of the password before, which the user had chosen
    await api.sql.query(`UPDATE user_passwords SET made_by = NULL WHERE user_id = $1`, [person.userId]);
    expect(await promote(person.userId, ['ORG_OWNER'])).toEqual([{ kind: 'password', id: person.userId }]);
  });

  it('S389: an application that may do less than its user answers for no password that it sets', async () => {
    const administrator = await aUser(world);
    await promote(administrator.userId, ['IAM_OWNER'], 'instance');
    await promote(administrator.userId, ['ORG_OWNER']);
    await api.advance(6);
    const application = await anApplication(world, {
      managementAccess: 'organization',
      accessGivenBy: owner.userId,
    });
    const browser = new TestBrowser(api);
    const parameters = codeRequest(application, { scope: `openid ${API_SCOPE}` });
    const asked = await browser.signIn(parameters, administrator);
    const page = await browser.get(asked.headers.location ?? '');
    const form = { ...hiddenFields(page.body), decision: 'allow' };
    const { access_token: pat } = await tokensOf(
      api,
      application,
      await browser.post('/login/consent', form),
    );
    const person = await aUser(world);
    const body = { password: 'Known-to-the-application-1!' };
    const set = await call(api, 'POST', `users/${person.userId}/password`, { pat, body });
    expect(set.statusCode).toBe(200);
    const userName = `person-${Math.random().toString(36).slice(2)}`;
    const made = await call(api, 'POST', 'users/human', {
      pat,
      body: {
        userName,
        profile: { firstName: 'Ada', lastName: 'Lovelace' },
        email: { email: `${userName}@person.test`, isEmailVerified: true },
        ...body,
      },
    });
    expect(made.statusCode).toBe(200);
    const { userId } = made.json<{ userId: string }>();
    for (const id of [person.userId, userId]) {
      expect(await promote(id, ['IAM_OWNER'], 'instance')).toEqual([{ kind: 'password', id }]);
    }
  });

  it.each([
    ['users/human', 'ORG_USER_MANAGER'],
    ['users/human/_import', 'ORG_OWNER'],
  ] as const)('S197: takes the password that came along with a person by %s', async (path, role) => {
    const by = await aServiceUser(world, role);
    const userName = `person-${Math.random().toString(36).slice(2)}`;
    const body = {
      userName,
      profile: { firstName: 'Ada', lastName: 'Lovelace' },
      email: { email: `${userName}@person.test`, isEmailVerified: true },
      password: 'Known-to-the-manager-1!',
    };
    const made = await by.call('POST', path, body);
    const { userId } = made.json<{ userId: string }>();
    expect(await promote(userId, ['IAM_OWNER'], 'instance')).toEqual([{ kind: 'password', id: userId }]);
  });
});
