import { beforeAll, describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
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
} from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { eventTypesOf } from '../../support/events.js';
import { given } from '../../support/given.js';
import { aRobot, aServiceUser, assertionOf, byAssertion, bySecret } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { exchange, exchanged, EXCHANGING, introspected, subject } from './support/exchanges.js';
import { audienceScope } from './support/machine-tokens.js';

const ROLES = 'urn:zitadel:iam:org:projects:roles';

const { api } = useWorld();
const replica = useReplica(api);
/** O1 of the issue: whose API is protected. */
const owner = given(() => anOrganization(api));
/** O2: whose applications want tokens for it. */
const other = given(() => anOrganization(api));
const ownersOwner = given(() => aServiceUser(owner, 'ORG_OWNER'));
const othersOwner = given(() => aServiceUser(other, 'ORG_OWNER'));
const resource = given(() => anApplication(owner, { grantTypes: EXCHANGING }));
const application = given(() => anApplication(other, { grantTypes: EXCHANGING }));
const jwtApplication = given(() => anApplication(other, { grantTypes: EXCHANGING, accessTokenType: 'jwt' }));
const ownersUser = given(() => aUser(owner));
const othersUser = given(() => aUser(other));
beforeAll(async () => {
  for (const roleKey of ['admin', 'reader']) {
    const body = { roleKey, displayName: roleKey };
    await ownersOwner.call('POST', `projects/${owner.projectId}/roles`, body);
  }
});

const grants = () => `projects/${owner.projectId}/grants`;
const wanted = () => `openid offline_access ${audienceScope(owner.projectId)}`;

async function grant(roleKeys: readonly string[] = ['admin', 'reader']): Promise<string> {
  const body = { grantedOrgId: other.orgId, roleKeys };
  const made = await ownersOwner.call('POST', grants(), body);
  expect(made.statusCode).toBe(200);
  return made.json<{ grantId: string }>().grantId;
}

async function remove(grantId: string): Promise<void> {
  const gone = await ownersOwner.call('DELETE', `${grants()}/${grantId}`);
  expect(gone.statusCode).toBe(200);
}

async function rolesOf(token: string): Promise<unknown> {
  const claims = (await userinfo(replica, token)).json<Record<string, unknown>>();
  return claims[`urn:zitadel:iam:org:project:${owner.projectId}:roles`];
}

const isActive = async (token: string): Promise<boolean> =>
  (await introspected(replica, resource, token)).active === true;

describe("S195: another organization's project in the audience", () => {
  it('S195: is refused to an application, whoever signs in, before anybody does', async () => {
    for (const project of [owner.projectId, 'nobodys-project']) {
      const scope = `openid ${audienceScope(project)}`;
      const answer = await new TestBrowser(api).get(authorizeUrl(codeRequest(application, { scope })));
      const { code, error, state } = Object.fromEntries(redirected(answer));
      expect({ code, error, state }).toEqual({ error: 'invalid_scope', state: 'Marker-state' });
    }
    const browser = new TestBrowser(api);
    await obtainTokens(api, resource, ownersUser, {}, browser);
    const silent = codeRequest(application, { scope: wanted(), prompt: 'none' });
    expect(redirected(await browser.get(authorizeUrl(silent))).get('error')).toBe('invalid_scope');
  });

  it('S195: is refused to a service user, with the message for a project that does not exist', async () => {
    const robot = await aRobot(other);
    for (const answer of [
      (scope: string) => bySecret(api, robot, { scope }),
      async (scope: string) => await byAssertion(api, await assertionOf(robot), { scope }),
    ]) {
      const foreign = await answer(`openid ${audienceScope(owner.projectId)}`);
      expect(foreign.json()).toMatchObject({ error: 'invalid_scope' });
      expect((await answer(`openid ${audienceScope('nobodys-project')}`)).body).toBe(foreign.body);
    }
  });

  it.each([
    ['opaque', () => application],
    ['JWT', () => jwtApplication],
  ])('S195: is had by a grant, and ends with it on every replica (%s)', async (_form, client) => {
    const grantId = await grant();
    const tokens = await obtainTokens(api, client(), ownersUser, { scope: wanted() });
    expect(await introspected(api, resource, tokens.access_token)).toMatchObject({
      active: true,
      sub: ownersUser.userId,
      aud: expect.arrayContaining([owner.projectId, resource.clientId]) as unknown,
    });
    await remove(grantId);
    expect(await isActive(tokens.access_token)).toBe(false);
    const atHome = await introspected(api, client(), tokens.access_token);
    expect(atHome.active).toBe(true);
    expect(atHome.aud).not.toContain(owner.projectId);
    expect(atHome.aud).not.toContain(resource.clientId);

    const asked = await refreshTokens(api, client(), tokens, { scope: wanted() });
    expect(asked.json()).toMatchObject({ error: 'invalid_scope' });
    const refreshed = await refreshTokens(api, client(), tokens);
    expect(refreshed.json()).toMatchObject({ scope: 'openid offline_access' });
    const { access_token: next } = refreshed.json<{ access_token: string }>();
    expect(await isActive(next)).toBe(false);
    // a grant that comes later gives nothing back that was ended
    await remove(await grantAgain(next, tokens.access_token));
  });

  async function grantAgain(...ended: readonly string[]): Promise<string> {
    const grantId = await grant();
    for (const token of ended) expect(await isActive(token)).toBe(false);
    return grantId;
  }

  it('S195: of a service user ends with the grant, too', async () => {
    const grantId = await grant();
    for (const accessTokenType of ['opaque', 'jwt'] as const) {
      const robot = await aRobot(other, { accessTokenType });
      const scope = `openid ${audienceScope(owner.projectId)}`;
      const token = (await bySecret(api, robot, { scope })).json<{ access_token: string }>().access_token;
      expect(await isActive(token)).toBe(true);
      await api.sql.query(`UPDATE organizations SET state = 'inactive' WHERE id = $1`, [owner.orgId]);
      const answer = await bySecret(api, robot, { scope });
      await api.sql.query(`UPDATE organizations SET state = 'active' WHERE id = $1`, [owner.orgId]);
      expect(answer.json()).toMatchObject({ error: 'invalid_scope' });
      if (accessTokenType === 'jwt') await remove(grantId);
      else expect(await isActive(token)).toBe(true);
      if (accessTokenType === 'jwt') expect(await isActive(token)).toBe(false);
    }
  });

  it('S195: is not carried over by a token exchange', async () => {
    // made for both: the client of O2 may use O1's project, and O1's application has its own
    const granted = await othersOwner.call('POST', `projects/${other.projectId}/grants`, {
      grantedOrgId: owner.orgId,
    });
    const scope = `openid ${audienceScope(other.projectId)}`;
    const tokens = await obtainTokens(api, resource, ownersUser, { scope });
    const handedOn = await exchanged(api, application, subject(tokens.access_token));
    expect(await isActive(handedOn.access_token)).toBe(false);
    expect((await introspected(api, application, handedOn.access_token)).active).toBe(true);
    const asked = await exchange(api, application, {
      ...subject(tokens.access_token),
      audience: owner.projectId,
    });
    expect(asked.json()).toMatchObject({ error: 'invalid_target' });
    const { grantId } = granted.json<{ grantId: string }>();
    const path = `projects/${other.projectId}/grants/${grantId}`;
    await othersOwner.call('DELETE', path);
    expect((await introspected(api, application, tokens.access_token)).active).toBe(false);
  });

  it('S195: a code issued while the grant was removed gives no access to that project', async () => {
    for (let round = 0; round < 5; round++) {
      const grantId = await grant();
      const browser = new TestBrowser(api);
      await obtainTokens(api, application, ownersUser, {}, browser);
      const request = codeRequest(application, { scope: wanted() });
      const [answered] = await Promise.all([browser.get(authorizeUrl(request)), remove(grantId)]);
      const code = redirected(answered).get('code');
      if (code === null) continue;
      const redeemed = await requestToken(api, redemption(code), basic(application));
      const { access_token: token } = redeemed.json<{ access_token: string }>();
      expect(await isActive(token)).toBe(false);
    }
  });
});

describe("S196: roles of another organization's project", () => {
  const give = (body: object, pat = othersOwner.pat) =>
    call(api, 'POST', `users/${othersUser.userId}/grants`, { pat, body });

  it('S196: can be assigned only by a grant, within its roles, and are removed with them', async () => {
    const { projectId } = owner;
    expect((await give({ projectId, roleKeys: ['admin'] })).statusCode).toBe(404);
    expect((await give({ projectId, projectGrantId: 'none', roleKeys: ['admin'] })).statusCode).toBe(404);
    const projectGrantId = await grant(['reader', 'admin']);
    const third = await aServiceUser(await anOrganization(api), 'ORG_OWNER');
    expect((await give({ projectId, projectGrantId, roleKeys: ['admin'] }, third.pat)).statusCode).toBe(404);
    const beyond = await give({ projectId, projectGrantId, roleKeys: ['admin', 'unheard'] });
    expect(beyond.statusCode).toBe(400);
    const given = await give({ projectId, projectGrantId, roleKeys: ['admin', 'reader'] });
    expect(given.statusCode).toBe(200);

    const scope = `openid ${audienceScope(projectId)} ${ROLES}`;
    const { access_token: token } = await obtainTokens(api, application, othersUser, { scope });
    const where = { [other.orgId]: other.domain };
    expect(await rolesOf(token)).toEqual({ admin: where, reader: where });
    const pat = ownersOwner.pat;
    await call(api, 'PUT', `${grants()}/${projectGrantId}`, { pat, body: { roleKeys: ['reader'] } });
    expect(await rolesOf(token)).toEqual({ reader: where });
    const path = `users/${othersUser.userId}/grants/${given.json<{ userGrantId: string }>().userGrantId}`;
    const raised = await othersOwner.call('PUT', path, { roleKeys: ['admin'] });
    expect(raised.statusCode).toBe(400);
    expect(await eventTypesOf(api, path.split('/').at(-1))).toEqual([
      'user.grant.added',
      'user.grant.changed',
    ]);
    await remove(projectGrantId);
    expect(await rolesOf(token)).toBeUndefined();
    expect((await othersOwner.call('GET', path)).statusCode).toBe(404);
  });

  it('S196: a role that is assigned while the grant is reduced is one that the grant still has', async () => {
    const { projectId } = owner;
    const projectGrantId = await grant();
    const path = `${grants()}/${projectGrantId}`;
    const narrowed = ownersOwner.call('PUT', path, { roleKeys: ['reader'] });
    const [change, ...given] = await Promise.all([
      narrowed,
      ...Array.from({ length: 6 }, async () => {
        const { userId } = await aUser(other);
        const body = { projectId, projectGrantId, roleKeys: ['admin'] };
        return await othersOwner.call('POST', `users/${userId}/grants`, body, { on: replica });
      }),
    ]);
    expect(change.statusCode).toBe(200);
    for (const { statusCode } of given) expect([200, 400]).toContain(statusCode);
    const { rows } = await api.sql.query(
      `SELECT FROM role_assignment_roles WHERE project_grant_id = $1 AND role_key = 'admin'`,
      [projectGrantId],
    );
    expect(rows).toEqual([]);
    await remove(projectGrantId);
  });

  it('S196: cannot be stored without one', async () => {
    const grantId = await grant();
    const values = [other.orgId, othersUser.userId, owner.projectId, owner.orgId];
    const insert = `INSERT INTO role_assignments (org_id, user_id, project_id, project_org_id, project_grant_id, rests_on)`;
    for (const [id, own] of [
      [null, owner.orgId],
      ['none', owner.orgId],
      [null, other.orgId],
    ] as const) {
      const row = [...values.slice(0, 3), own, id, id ?? ''];
      await expect(api.sql.query(`${insert} VALUES ($1, $2, $3, $4, $5, $6)`, row)).rejects.toThrow(
        /role_assignments_/,
      );
    }
    const foreign = [owner.orgId, ownersUser.userId, owner.projectId, owner.orgId, grantId, grantId];
    await expect(api.sql.query(`${insert} VALUES ($1, $2, $3, $4, $5, $6)`, foreign)).rejects.toThrow(
      /role_assignments_/,
    );
    await remove(grantId);
  });
});

describe('a project grant that is put to rest', () => {
  async function change(what: 'deactivate' | 'reactivate', grantId: string): Promise<number> {
    const done = await ownersOwner.call('POST', `${grants()}/${grantId}/_${what}`, {});
    return done.statusCode;
  }

  it('gives no roles and no audience on any replica, keeps what was assigned, and is woken', async () => {
    const { projectId } = owner;
    const projectGrantId = await grant(['admin', 'reader']);
    const user = await aUser(other);
    const path = `users/${user.userId}/grants`;
    const given = await othersOwner.call('POST', path, { projectId, projectGrantId, roleKeys: ['admin'] });
    expect(given.statusCode, given.body).toBe(200);
    const scope = `openid offline_access ${audienceScope(projectId)} ${ROLES}`;
    const tokens = await obtainTokens(api, application, user, { scope });
    const where = { [other.orgId]: other.domain };
    expect(await rolesOf(tokens.access_token)).toEqual({ admin: where });
    expect(await isActive(tokens.access_token)).toBe(true);

    expect(await change('deactivate', projectGrantId)).toBe(200);
    expect(await rolesOf(tokens.access_token)).toBeUndefined();
    expect(await isActive(tokens.access_token)).toBe(false);
    expect((await refreshTokens(replica, application, tokens, { scope })).json()).toMatchObject({
      error: 'invalid_scope',
    });
    const asked = await new TestBrowser(replica).get(authorizeUrl(codeRequest(application, { scope })));
    expect(redirected(asked).get('error')).toBe('invalid_scope');
    const kept = await othersOwner.call('POST', `${path}/_search`, {});
    expect(kept.json()).toMatchObject({ result: [{ projectGrantId, roleKeys: ['admin'] }] });
    const shown = { state: 'PROJECT_GRANT_STATE_INACTIVE', grantedRoleKeys: ['admin', 'reader'] };
    expect((await ownersOwner.call('GET', `${grants()}/${projectGrantId}`)).json()).toMatchObject({
      projectGrant: shown,
    });
    const theirs = await othersOwner.call('POST', 'granted_projects/_search', {});
    expect(theirs.json()).toMatchObject({ result: [shown] });

    expect(await change('reactivate', projectGrantId)).toBe(200);
    expect(await rolesOf(tokens.access_token)).toEqual({ admin: where });
    expect(await isActive(tokens.access_token)).toBe(true);
    expect(await eventTypesOf(api, projectGrantId)).toEqual([
      'project.grant.added',
      'project.grant.deactivated',
      'project.grant.reactivated',
    ]);
    await remove(projectGrantId);
  });

  it('lets nobody of the other organization sign in where the project asks for a role, or for a grant', async () => {
    const grantId = await grant(['reader']);
    const user = await aUser(other);
    const body = { projectId: owner.projectId, projectGrantId: grantId, roleKeys: ['reader'] };
    await othersOwner.call('POST', `users/${user.userId}/grants`, body);
    const browser = new TestBrowser(api);
    await obtainTokens(api, application, user, {}, browser);
    const ask = async () =>
      redirected(await browser.get(authorizeUrl(codeRequest(resource, { prompt: 'none' })))).get('error');
    for (const check of ['has_project_check', 'project_role_check']) {
      await api.sql.query(`UPDATE projects SET ${check} = true WHERE id = $1`, [owner.projectId]);
      expect(await ask(), check).toBeNull();
      await change('deactivate', grantId);
      expect(await ask(), check).toBe('access_denied');
      await change('reactivate', grantId);
      await api.sql.query(`UPDATE projects SET ${check} = false WHERE id = $1`, [owner.projectId]);
    }
    await remove(grantId);
  });

  it('is refused where it rests already, is awake, and of another organization', async () => {
    const grantId = await grant(['reader']);
    expect(await change('reactivate', grantId)).toBe(400);
    const at = `${grants()}/${grantId}`;
    expect((await othersOwner.call('POST', `${at}/_deactivate`, {})).statusCode).toBe(404);
    expect(await change('deactivate', 'none')).toBe(404);
    const both = await Promise.all([1, 2].map(() => change('deactivate', grantId)));
    expect(both.sort()).toEqual([200, 400]);
    expect((await othersOwner.call('POST', `${at}/_reactivate`, {})).statusCode).toBe(404);
    await remove(grantId);
  });
});

describe('project grants', () => {
  it('are made by the whole primary domain of the other organization, and nothing less', async () => {
    const third = await anOrganization(api);
    const thirdsOwner = await aServiceUser(third, 'ORG_OWNER');
    const add = async (body: object) => await ownersOwner.call('POST', grants(), body);
    const parts = [
      third.domain.slice(0, -1),
      third.domain.slice(1),
      `x.${third.domain}`,
      '%',
      'nobody.example',
    ];
    for (const grantedOrgDomain of parts) {
      const refused = await add({ grantedOrgDomain });
      expect([400, 404], grantedOrgDomain).toContain(refused.statusCode);
      expect(refused.body).not.toContain(third.orgId);
    }
    // one that it claims, and has not proven, is anybody's
    await thirdsOwner.call('POST', 'orgs/me/domains', { domain: 'claimed.example' });
    expect((await add({ grantedOrgDomain: 'claimed.example' })).statusCode).toBe(404);
    expect((await add({ grantedOrgDomain: third.domain, grantedOrgId: third.orgId })).statusCode).toBe(400);
    expect((await add({ roleKeys: ['reader'] })).statusCode).toBe(400);
    expect((await add({ grantedOrgDomain: owner.domain })).statusCode).toBe(400);
    const made = await add({ grantedOrgDomain: third.domain.toUpperCase(), roleKeys: ['reader'] });
    expect(made.statusCode, made.body).toBe(200);
    expect((await add({ grantedOrgDomain: third.domain })).statusCode).toBe(409);
    const { grantId } = made.json<{ grantId: string }>();
    const { rows } = await api.sql.query<{ name: string }>(`SELECT name FROM organizations WHERE id = $1`, [
      third.orgId,
    ]);
    // whoever granted is told the name, without being allowed to read organizations
    expect((await ownersOwner.call('GET', `${grants()}/${grantId}`)).json()).toMatchObject({
      projectGrant: { grantedOrgId: third.orgId, grantedOrgName: rows[0]?.name },
    });
    await remove(grantId);
  });

  it('are made, shown to both sides, changed and removed', async () => {
    const { pat } = ownersOwner;
    const grantId = await grant(['reader']);
    const path = `${grants()}/${grantId}`;
    const shown = {
      grantId,
      projectId: owner.projectId,
      projectOwnerId: owner.orgId,
      grantedOrgId: other.orgId,
      grantedRoleKeys: ['reader'],
    };
    expect((await call(api, 'GET', path, { pat })).json()).toMatchObject({ projectGrant: shown });
    expect((await call(api, 'GET', grants(), { pat })).json()).toMatchObject({ result: [shown] });
    const theirs = await othersOwner.call('POST', 'granted_projects/_search', {});
    expect(theirs.json()).toMatchObject({ details: { totalResult: '1' }, result: [shown] });
    const again = await call(api, 'POST', grants(), { pat, body: { grantedOrgId: other.orgId } });
    expect(again.statusCode).toBe(409);
    expect((await othersOwner.call('GET', path)).statusCode).toBe(404);
    expect((await othersOwner.call('DELETE', path)).statusCode).toBe(404);
    const unknownRole = await call(api, 'PUT', path, { pat, body: { roleKeys: ['unheard'] } });
    expect(unknownRole.statusCode).toBe(400);
    await remove(grantId);
    expect((await call(api, 'GET', path, { pat })).statusCode).toBe(404);
  });

  it('are refused to oneself, to nobody, of a foreign project, with a role that it lacks, and twice at once', async () => {
    const { pat } = ownersOwner;
    const add = async (body: object, path = grants()) =>
      (await call(api, 'POST', path, { pat, body })).statusCode;
    expect(await add({ grantedOrgId: owner.orgId })).toBe(400);
    expect(await add({ grantedOrgId: 'nobody' })).toBe(404);
    expect(await add({ grantedOrgId: other.orgId, roleKeys: ['unheard'] })).toBe(400);
    expect(await add({ grantedOrgId: owner.orgId }, `projects/${other.projectId}/grants`)).toBe(400);
    expect(await add({ grantedOrgId: othersOwner.userId }, `projects/${other.projectId}/grants`)).toBe(404);
    const both = await Promise.all([1, 2].map(() => add({ grantedOrgId: other.orgId })));
    expect(both.sort()).toEqual([200, 409]);
  });

  it('let users of the other organization sign in where the project asks for it', async () => {
    await api.sql.query(`DELETE FROM project_grants`);
    await api.sql.query(`UPDATE projects SET has_project_check = true WHERE id = $1`, [owner.projectId]);
    const browser = new TestBrowser(api);
    await obtainTokens(api, application, othersUser, {}, browser);
    const ask = async () =>
      redirected(await browser.get(authorizeUrl(codeRequest(resource, { prompt: 'none' }))));
    expect((await ask()).get('error')).toBe('access_denied');
    const grantId = await grant();
    expect((await ask()).get('code')).not.toBeNull();
    await remove(grantId);
    expect((await ask()).get('error')).toBe('access_denied');
    await api.sql.query(`UPDATE projects SET has_project_check = false WHERE id = $1`, [owner.projectId]);
  });
});
