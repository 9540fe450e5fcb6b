import { describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { useReplica } from '../../support/api.js';
import { anOwnApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  obtainTokens,
  refreshTokens,
  TestBrowser,
  userinfo,
} from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aDirectory, aPerson, scim, type Directory, type Resource } from '../../support/scim.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// What a directory, or whoever has its token, must not bring about.

const { api, world } = useWorld();
const replica = useReplica(api);
const other = given(() => anOrganization(api));
const directory = given(() => aDirectory(world));
const client = given(() => anOwnApplication(world, { grantTypes: ['authorization_code', 'refresh_token'] }));

async function withRole(role: string) {
  const user = await aUser(world);
  await api.sql.query(
    `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, $3, $4)`,
    [user.userId, world.orgId, role, role.startsWith('IAM_') ? null : world.orgId],
  );
  return user;
}

describe('S240 another organization', () => {
  it('is not found by any call, and its users look like nobody', async () => {
    const stranger = await aUser(other);
    const theirs = await aDirectory(other);
    const { id } = await theirs.create('Users', aPerson({ externalId: 'of-the-other' }));
    for (const user of [stranger.userId, id]) {
      expect((await directory.call('GET', `Users/${user}`)).statusCode).toBe(404);
      expect((await directory.call('PUT', `Users/${user}`, aPerson())).statusCode).toBe(404);
      expect(
        (await directory.patch(`Users/${user}`, { op: 'replace', value: { active: false } })).statusCode,
      ).toBe(404);
      expect((await directory.call('DELETE', `Users/${user}`)).statusCode).toBe(404);
    }
    for (const filter of [
      `id eq "${id}"`,
      'externalId eq "of-the-other"',
      `userName eq "${stranger.loginName}"`,
    ]) {
      const found = await directory.call('GET', `Users?filter=${encodeURIComponent(filter)}`);
      expect(found.json()).toMatchObject({ totalResults: 0 });
    }
    // unique within an organization, so that nobody hears what another one has
    expect((await directory.create('Users', aPerson({ externalId: 'of-the-other' }))).id).not.toBe(id);
  });

  it('is not opened by a token of this one, however the path is written', async () => {
    for (const path of [
      other.orgId,
      `${world.orgId}/../${other.orgId}`,
      `${world.orgId}%2f..%2f${other.orgId}`,
    ]) {
      const response = await scim(api, 'GET', `${path}/Users`, directory.token);
      expect([401, 404]).toContain(response.statusCode);
      expect(response.body).not.toContain('Resources');
    }
    const { statusCode, headers } = await scim(api, 'GET', `${other.orgId}/Users`, directory.token);
    expect(statusCode).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer realm="SCIM"');
  });

  it('keeps its verified domain: no user name of this one ends with it', async () => {
    const response = await directory.call('POST', 'Users', aPerson({ userName: `ada@${other.domain}` }));
    expect(response.json()).toMatchObject({ status: '400', scimType: 'invalidValue' });
  });
});

describe('S241 owners and administrators', () => {
  it('are not made by a group, whatever it is called', async () => {
    const { id } = await directory.create('Users', aPerson());
    for (const displayName of ['IAM_OWNER', 'ORG_OWNER', 'zitadel.ORG_OWNER']) {
      await directory.create('Groups', { displayName, members: [{ value: id }] });
    }
    await directory.patch(`Users/${id}`, {
      op: 'add',
      value: { roles: [{ value: 'IAM_OWNER' }], entitlements: [{ value: 'ORG_OWNER' }] },
    });
    const { rows } = await api.sql.query(`SELECT FROM memberships WHERE user_id = $1`, [id]);
    expect(rows).toEqual([]);
  });

  it.each(['IAM_OWNER', 'ORG_OWNER', 'ORG_USER_MANAGER', 'ORG_OWNER_VIEWER'])(
    'are out of reach of a directory: %s',
    async (role) => {
      const user = await withRole(role);
      const path = `Users/${user.userId}`;
      const replace = (attribute: string, value: unknown) => ({ op: 'replace', path: attribute, value });
      const takeovers = [
        replace('password', 'Seven-Tulips-of-1637!'),
        replace('emails[type eq "work"].value', 'attacker@corp.test'),
        replace('userName', 'renamed'),
        replace('active', false),
        replace('phoneNumbers', [{ value: '+41791234567' }]),
      ];
      for (const operation of takeovers) {
        const response = await directory.patch(path, operation);
        expect({ path: operation.path, status: response.statusCode }).toEqual({
          path: operation.path,
          status: 403,
        });
      }
      expect((await directory.call('DELETE', path)).statusCode).toBe(403);
      const { rows } = await api.sql.query(
        `SELECT u.state, u.user_name, h.email, u.sequence FROM users u JOIN user_humans h ON h.user_id = u.id WHERE u.id = $1`,
        [user.userId],
      );
      expect(rows).toEqual([
        { state: 'active', user_name: user.userName, email: `${user.userName}@mail.test`, sequence: '1' },
      ]);
    },
  );
});

describe('S242 deprovisioning', () => {
  const deactivate = async (by: Directory, id: string) =>
    await by.patch(`Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
  const remove = async (by: Directory, id: string) => await by.call('DELETE', `Users/${id}`);

  it.each([
    ['active: False', deactivate, 200],
    ['DELETE', remove, 204],
  ])(
    'by %s ends sessions and tokens before it is answered, on every replica',
    async (_, deprovision, status) => {
      const user = await aUser(world);
      const tokens = await obtainTokens(api, client, user, { scope: 'openid offline_access' });
      const browser = new TestBrowser(api);
      await browser.signIn(codeRequest(client), user);
      expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(200);

      expect((await deprovision(directory, user.userId)).statusCode).toBe(status);

      expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(401);
      const refreshed = await refreshTokens(replica, client, tokens);
      expect(refreshed.json()).toMatchObject({ error: 'invalid_grant' });
      const { rows } = await api.sql.query(`SELECT FROM sessions WHERE user_id = $1 AND ended_at IS NULL`, [
        user.userId,
      ]);
      expect(rows).toEqual([]);
      const silent = await browser.get(authorizeUrl({ ...codeRequest(client), prompt: 'none' }));
      expect(silent.headers.location).toContain('error=login_required');
      await expect(obtainTokens(api, client, user, { scope: 'openid' })).rejects.toThrow();
    },
  );

  it('is undone by active: true, which revives nothing that was ended', async () => {
    const user = await aUser(world);
    const { access_token: token } = await obtainTokens(api, client, user, { scope: 'openid' });
    await deactivate(directory, user.userId);
    const back = await directory.patch(`Users/${user.userId}`, { op: 'replace', value: { active: true } });
    expect(back.json()).toMatchObject({ active: true });
    expect((await userinfo(api, token)).statusCode).toBe(401);
    expect((await obtainTokens(api, client, user, { scope: 'openid' })).access_token).toEqual(
      expect.any(String),
    );
  });

  it('does not unlock whom an administrator has locked', async () => {
    const user = await aUser(world);
    await api.sql.query(`UPDATE users SET state = 'locked' WHERE id = $1`, [user.userId]);
    await directory.call('PUT', `Users/${user.userId}`, aPerson({ active: true }));
    const { rows } = await api.sql.query(`SELECT state FROM users WHERE id = $1`, [user.userId]);
    expect(rows).toEqual([{ state: 'locked' }]);
  });

  it('does not unlock by way of active: false either, unless somebody else has let the user in', async () => {
    const user = await aUser(world);
    const stateAfter = async (...steps: readonly boolean[]) => {
      for (const active of steps) {
        const changed = await directory.patch(`Users/${user.userId}`, { op: 'replace', value: { active } });
        expect(changed.json()).toMatchObject({ active });
      }
      const { rows } = await api.sql.query(`SELECT state FROM users WHERE id = $1`, [user.userId]);
      return rows;
    };
    await api.sql.query(`UPDATE users SET state = 'locked' WHERE id = $1`, [user.userId]);
    expect(await stateAfter(false)).toEqual([{ state: 'inactive' }]);
    expect(await stateAfter(false, true)).toEqual([{ state: 'locked' }]);
    expect(await stateAfter(false, true)).toEqual([{ state: 'locked' }]);
    await stateAfter(false);
    await api.sql.query(`UPDATE users SET state = 'active' WHERE id = $1`, [user.userId]);
    expect(await stateAfter(true, false, true)).toEqual([{ state: 'active' }]);
  });

  it('of a person with a password of the directory signs nobody in by it any more', async () => {
    const person = aPerson({ password: PASSWORD });
    const { id } = await directory.create('Users', person);
    const user = {
      userId: id as UserId,
      orgId: world.orgId,
      userName: person.userName,
      loginName: person.userName,
    };
    expect((await obtainTokens(api, client, user, { scope: 'openid' })).access_token).toEqual(
      expect.any(String),
    );
    await deactivate(directory, id);
    await expect(obtainTokens(api, client, user, { scope: 'openid' })).rejects.toThrow();
  });
});

describe('a password that a directory sends again', () => {
  const send = async (userId: string, value: string) =>
    await directory.patch(`Users/${userId}`, { op: 'replace', value: { password: value } });
  const mails = async (userId: string) => {
    const { rows } = await api.sql.query<{ mails: number }>(
      `SELECT count(*)::int AS mails FROM notifications WHERE user_id = $1`,
      [userId],
    );
    return rows[0]?.mails;
  };

  it('ends nothing and tells nobody while it is the same, and another one does', async () => {
    const user = await aUser(world);
    const { access_token: token } = await obtainTokens(api, client, user, { scope: 'openid' });
    const before = (await directory.call('GET', `Users/${user.userId}`)).headers.etag;
    for (const change of [{}, { nickName: 'Synced' }]) {
      const value = { password: PASSWORD, ...change };
      const answer = await directory.patch(`Users/${user.userId}`, { op: 'replace', value });
      expect({ status: answer.statusCode, same: answer.headers.etag === before }).toEqual({
        status: 200,
        same: !('nickName' in change),
      });
      expect((await userinfo(api, token)).statusCode).toBe(200);
    }
    const person = { userName: user.userName, emails: [{ value: `${user.userName}@mail.test` }] };
    const put = await directory.call('PUT', `Users/${user.userId}`, { ...person, password: PASSWORD });
    expect(put.statusCode).toBe(200);
    expect((await userinfo(api, token)).statusCode).toBe(200);
    expect(await mails(user.userId)).toBe(0);
    expect((await send(user.userId, 'Seven-Tulips-of-1637!')).statusCode).toBe(200);
    expect((await userinfo(api, token)).statusCode).toBe(401);
    expect(await mails(user.userId)).toBe(1);
  });

  it('is no longer to be changed by the user, who is signed out as by a new one', async () => {
    const user = await aUser(world);
    await api.sql.query(`UPDATE user_passwords SET change_required = true WHERE user_id = $1`, [user.userId]);
    expect((await send(user.userId, PASSWORD)).statusCode).toBe(200);
    const { rows } = await api.sql.query(`SELECT change_required FROM user_passwords WHERE user_id = $1`, [
      user.userId,
    ]);
    expect(rows).toEqual([{ change_required: false }]);
  });

  it.each(['inactive', 'locked'])('lets nobody in who is %s, before somebody else does', async (state) => {
    const user = await aUser(world, { password: 'Seven-Tulips-of-1637!' });
    await api.sql.query(`UPDATE users SET state = $2 WHERE id = $1`, [user.userId, state]);
    expect((await send(user.userId, PASSWORD)).statusCode).toBe(200);
    const { rows } = await api.sql.query(`SELECT state FROM users WHERE id = $1`, [user.userId]);
    expect(rows).toEqual([{ state }]);
    const signIn = () => obtainTokens(api, client, user, { scope: 'openid' });
    await expect(signIn()).rejects.toThrow();
    const manager = await aServiceUser(world, 'ORG_OWNER');
    const opened = state === 'locked' ? '_unlock' : '_reactivate';
    expect((await manager.call('POST', `users/${user.userId}/${opened}`, {})).statusCode).toBe(200);
    expect((await signIn()).access_token).toEqual(expect.any(String));
  });

  it('does not tell whether it is an owner’s, nor counts as a guess at it', async () => {
    const user = await withRole('ORG_OWNER');
    for (const password of [PASSWORD, 'Seven-Tulips-of-1637!', 'short']) {
      const answer = await send(user.userId, password);
      expect(answer.json()).toMatchObject({ status: '403' });
    }
    const { rows } = await api.sql.query(`SELECT FROM password_attempts WHERE user_id = $1`, [user.userId]);
    expect(rows).toEqual([]);
  });
});

describe('S240 a SCIM token', () => {
  it('calls nothing else, and no other token calls SCIM', async () => {
    const paths = ['users/nobodys', '/admin/v1/orgs/_search', '/auth/v1/users/me', 'orgs/me/scim_tokens'];
    for (const path of paths) {
      const response = await call(api, 'GET', path, { pat: directory.token });
      expect({ path, status: response.statusCode }).toMatchObject({
        status: path.includes('_search') ? 405 : 401,
      });
    }
    expect((await userinfo(api, directory.token)).statusCode).toBe(401);
    const owner = await aServiceUser(world, 'IAM_OWNER');
    const { access_token: access } = await obtainTokens(api, client, await aUser(world), { scope: 'openid' });
    for (const token of [owner.pat, access, '', 'scim_', `scim_${'a'.repeat(43)}`, undefined]) {
      const response = await scim(api, 'GET', `${world.orgId}/Users`, token);
      expect(response.statusCode).toBe(401);
      expect(response.json()).toMatchObject({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '401',
      });
    }
  });

  it('is taken from the header alone', async () => {
    const path = `${world.orgId}/Users?access_token=${directory.token}`;
    expect((await scim(api, 'GET', path, undefined)).statusCode).toBe(401);
  });

  it('ends when it is removed, when it is over, and while its organization is inactive', async () => {
    const owner = await aServiceUser(other, 'ORG_OWNER');
    const [removed, over] = [
      await aDirectory(other),
      await aDirectory(other, { expiresAt: new Date(Date.now() + 3_600_000) }),
    ];
    const status = async (by: Directory, on = api) =>
      (await scim(on, 'GET', `${other.orgId}/Users`, by.token)).statusCode;
    expect([await status(removed, replica), await status(over)]).toEqual([200, 200]);
    expect((await owner.call('DELETE', `orgs/me/scim_tokens/${removed.tokenId}`)).statusCode).toBe(200);
    expect([await status(removed, replica), await status(removed)]).toEqual([401, 401]);
    await api.sql.query(`UPDATE organizations SET state = 'inactive' WHERE id = $1`, [other.orgId]);
    expect(await status(over)).toBe(401);
    await api.sql.query(`UPDATE organizations SET state = 'active' WHERE id = $1`, [other.orgId]);
    expect(await status(over)).toBe(200);
    await api.sql.query(`UPDATE scim_tokens SET expires_at = app_now() WHERE id = $1`, [over.tokenId]);
    expect(await status(over)).toBe(401);
  });

  it('is the actor of every event that it brings about', async () => {
    const by = await aDirectory(world);
    const { id } = await by.create('Users', aPerson());
    const group = await by.create('Groups', { displayName: 'Actors', externalId: 'actors' });
    await by.patch(`Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: id }] });
    await by.call('PUT', `Groups/${group.id}`, { displayName: 'Players', members: [] });
    await by.call(
      'PUT',
      `Users/${id}`,
      aPerson({ active: false, phoneNumbers: [{ value: '+41791234567' }] }),
    );
    await by.call('DELETE', `Users/${id}`);
    const { rows } = await api.sql.query<{ type: string }>(
      `SELECT DISTINCT type FROM events WHERE actor_id = $1 ORDER BY type`,
      [`SCIM token ${by.tokenId}`],
    );
    expect(rows.map((row) => row.type)).toEqual([
      'project.role.added',
      'project.role.changed',
      'project.role.external_id.changed',
      'user.deactivated',
      'user.external_id.changed',
      'user.grant.added',
      'user.grant.removed',
      'user.human.added',
      'user.human.email.changed',
      'user.human.phone.changed',
      'user.removed',
      'user.user_name.changed',
    ]);
  });
});

describe('a request', () => {
  it.each([
    ['__proto__', '{"__proto__":{"isAdmin":true},"userName":"a@corp.test"}'],
    ['constructor', '{"constructor":{"prototype":{"isAdmin":true}},"userName":"b@corp.test"}'],
  ])('does not reach what objects inherit: %s', async (_, body) => {
    expect((await directory.call('POST', 'Users', body)).statusCode).toBe(400);
    expect(({} as Resource & { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('is refused in another form, and an unknown path or method is told in the words of SCIM', async () => {
    const form = { 'content-type': 'text/plain' };
    expect((await directory.call('POST', 'Users', 'a=b', form)).json()).toMatchObject({ status: '415' });
    expect((await directory.call('GET', 'Me')).json()).toMatchObject({
      status: '404',
      schemas: [expect.any(String)],
    });
    const wrong = await directory.call('DELETE', 'Users');
    expect(wrong.json()).toMatchObject({ status: '405' });
    expect(wrong.headers.allow).toContain('POST');
  });

  it('finds nothing by an id that no id can look like', async () => {
    for (const org of ['%00', `${world.orgId}%00`, '%F0%9F%98%80', 'a%20b']) {
      expect((await scim(api, 'GET', `${org}/Users`, directory.token)).statusCode).toBe(401);
    }
    for (const key of ['\0', 'a\0b', 'a b', '']) {
      const id = `${world.projectId}.${Buffer.from(key).toString('base64url')}`;
      expect((await directory.call('GET', `Groups/${id}`)).statusCode).toBe(404);
      const found = await directory.call('GET', `Groups?filter=${encodeURIComponent(`id eq "${id}"`)}`);
      expect(found.json()).toMatchObject({ totalResults: 0 });
    }
  });

  it('is not open to scripts of other origins', async () => {
    const response = await directory.call('GET', 'Users', undefined, { origin: 'https://rp.test' });
    expect(response.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('of a scim type is not taken by the other APIs', async () => {
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const headers = { 'content-type': 'application/scim+json' };
    expect((await owner.call('POST', 'users/_search', {}, { headers })).statusCode).toBe(415);
  });
});
