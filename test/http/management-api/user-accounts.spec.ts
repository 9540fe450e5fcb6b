import { describe, expect, it } from 'vitest';
import { NotificationsStore } from '../../../src/domain/notifications/notifications.store.js';
import type { NotificationId } from '../../../src/domain/shared/ids.js';
import { VerifyEmail } from '../../../src/domain/users/verification/verify-email.js';
import { useReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  codeRequest,
  obtainTokens,
  refreshTokens,
  TestBrowser,
  userinfo,
} from '../../support/browser-flow.js';
import { call, errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { newestCode } from '../../support/mail-code.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anApplication(world, { backChannelLogoutUri: 'https://rp.test/out' }));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const stranger = given(async () => aServiceUser(await anOrganization(api), 'ORG_OWNER'));

const changed = (sequence: string) => ({
  details: { sequence, changeDate: expect.any(String) as string, resourceOwner: world.orgId },
});

async function eventsOf(id: string) {
  const { rows } = await api.sql.query<{
    sequence: string;
    type: string;
    actor_id: string;
    fields: string[];
  }>(
    `SELECT sequence, type, actor_id, fields FROM events
     WHERE aggregate_type = 'user' AND aggregate_id = $1 ORDER BY position`,
    [id],
  );
  return rows;
}

async function mailsTo(id: string): Promise<{ template: string; to: string }[]> {
  const { rows } = await api.sql.query<{ id: NotificationId; template: string }>(
    `SELECT id, template FROM notifications WHERE user_id = $1 AND state = 'pending' ORDER BY created_at, template`,
    [id],
  );
  const mails = [];
  for (const row of rows) {
    const claim = await api.app.get(NotificationsStore).claim(row.id, ['email'], 1_000);
    if (claim.kind !== 'claimed') throw new Error(claim.kind);
    const { code, email } = claim.notification;
    mails.push({ template: row.template, to: row.template === 'email_changed' ? (code ?? '') : email });
  }
  return mails;
}

async function identifiersOf(id: string): Promise<string[]> {
  const { rows } = await api.sql.query<{ canonical: string }>(
    `SELECT canonical FROM login_identifiers WHERE user_id = $1 AND kind = 'email'`,
    [id],
  );
  return rows.map((row) => row.canonical);
}

async function signInStatus(loginName: string, password = PASSWORD): Promise<number> {
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(client, { prompt: 'login' }));
  return (await browser.post('/login', { ...fields, loginName, password })).statusCode;
}

describe('deleting a user', () => {
  it('ends tokens, sessions and grants everywhere, tells applications, frees the names and keeps the id', async () => {
    const user = await aUser(world);
    const tokens = await obtainTokens(api, client, user, { scope: 'openid offline_access' });
    expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(200);
    const response = await owner.call('DELETE', `users/${user.userId}`);
    expect(response.json()).toEqual(changed('2'));
    expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(401);
    const refreshed = await refreshTokens(replica, client, tokens);
    expect(refreshed.json()).toMatchObject({ error: 'invalid_grant' });
    const { rows } = await api.sql.query(`SELECT FROM logout_notices WHERE user_id = $1`, [user.userId]);
    expect(rows).toHaveLength(1);
    expect((await owner.call('GET', `users/${user.userId}`)).statusCode).toBe(404);
    expect((await owner.call('DELETE', `users/${user.userId}`)).statusCode).toBe(404);
    expect(await eventsOf(user.userId)).toEqual([
      { sequence: '2', type: 'user.removed', actor_id: owner.userId, fields: [] },
    ]);
    const again = record({ userName: user.userName });
    expect((await importHuman(api, owner.pat, again)).statusCode).toBe(200);
    await expect(
      api.sql.query(`INSERT INTO users (id, org_id, kind, user_name) VALUES ($1, $2, 'human', 'x')`, [
        user.userId,
        world.orgId,
      ]),
    ).rejects.toThrow(/users_pkey/);
  });

  it('leaves nothing personal behind', async () => {
    const user = await aUser(world, { phone: { number: '+41791234567', verified: true } });
    await owner.call('PUT', `users/${user.userId}/metadata/plan`, { value: 'Z29sZA==' });
    await owner.call('POST', `users/${user.userId}/password/_reset`);
    await owner.call('DELETE', `users/${user.userId}`);
    const { rows: tables } = await api.sql.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns c
       WHERE column_name = 'user_id' AND table_schema = 'public' AND table_name NOT LIKE 'events%'`,
    );
    const left: string[] = [];
    for (const { name } of tables) {
      const { rows } = await api.sql.query(`SELECT FROM ${name} WHERE user_id = $1`, [user.userId]);
      if (rows.length > 0) left.push(name);
    }
    expect(left).toEqual(['notifications']);
    const { rows } = await api.sql.query(
      `SELECT state, content_sealed FROM notifications WHERE user_id = $1`,
      [user.userId],
    );
    expect(rows).toEqual([{ state: 'abandoned', content_sealed: null }]);
    const { rows: row } = await api.sql.query(`SELECT user_name FROM users WHERE id = $1`, [user.userId]);
    expect(row).toEqual([{ user_name: user.userId }]);
  });

  it('ends a sign-in that is under way', async () => {
    const user = await aUser(world);
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const [deleted, signedIn] = await Promise.all([
      owner.call('DELETE', `users/${user.userId}`),
      browser.post('/login', { ...fields, loginName: user.loginName, password: PASSWORD }),
    ]);
    expect(deleted.statusCode).toBe(200);
    expect(signedIn.statusCode).toBeLessThan(500);
    const silent = await browser.get(
      `/oauth/v2/authorize?${new URLSearchParams(codeRequest(client, { prompt: 'none' })).toString()}`,
    );
    expect(silent.headers.location).toContain('error=login_required');
    const { rows } = await api.sql.query(
      `SELECT FROM authorizations g JOIN users u ON u.id = g.user_id
       WHERE g.user_id = $1 AND g.revoked_at IS NULL AND g.subject_epoch = u.token_epoch`,
      [user.userId],
    );
    expect(rows).toHaveLength(0);
  });

  it('of two at once deletes one, and nobody deletes themselves', async () => {
    const { userId } = await aUser(world);
    const both = await Promise.all([1, 2].map(() => owner.call('DELETE', `users/${userId}`)));
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404]);
    expect((await owner.call('DELETE', `users/${owner.userId}`)).json()).toMatchObject({ code: 9 });
  });
});

describe('a user of another organization', () => {
  it.each([
    ['DELETE', '', undefined],
    ['GET', '/profile', undefined],
    ['PUT', '/profile', { firstName: 'A', lastName: 'B' }],
    ['GET', '/email', undefined],
    ['PUT', '/email', { email: 'x@mail.test', isEmailVerified: true }],
    ['POST', '/email/_resend_verification', {}],
    ['GET', '/phone', undefined],
    ['PUT', '/phone', { phone: '+41791234567' }],
    ['DELETE', '/phone', undefined],
    ['PUT', '/username', { userName: 'other' }],
    ['POST', '/password', { password: 'Marker-Passw0rd!2' }],
    ['POST', '/password/_reset', {}],
    ['GET', '/metadata/k', undefined],
    ['PUT', '/metadata/k', { value: 'YQ==' }],
    ['DELETE', '/metadata/k', undefined],
    ['POST', '/metadata/_search', {}],
    ['GET', '/sessions', undefined],
    ['DELETE', '/sessions', undefined],
    ['DELETE', '/sessions/x', undefined],
  ] as const)('is not found: %s users/{id}%s', async (method, path, body) => {
    const { userId } = await aUser(world, { phone: { number: '+41791234567', verified: true } });
    const response = await stranger.call(method, `users/${userId}${path}`, body);
    expect(response.json()).toEqual(errorBody(5, 'User could not be found', 'QUERY-Dfbg2'));
    expect((await owner.call('GET', `users/${userId}`)).json()).toMatchObject({
      user: { details: { sequence: '1' } },
    });
    expect((await call(api, method, `users/${userId}${path}`, { body })).statusCode).toBe(401);
    const nobody = await aServiceUser(world);
    expect((await nobody.call(method, `users/${userId}${path}`, body)).statusCode).toBe(403);
  });
});

describe('a more privileged user', () => {
  const changes = [
    ['DELETE', '', undefined],
    ['PUT', '/email', { email: 'taken-over@mail.test', isEmailVerified: true }],
    ['PUT', '/phone', { phone: '+41791234567' }],
    ['PUT', '/username', { userName: 'taken-over' }],
    ['POST', '/password', { password: 'Marker-Passw0rd!2' }],
    ['POST', '/password/_reset', {}],
    ['POST', '/_lock', {}],
    ['POST', '/_deactivate', {}],
    ['DELETE', '/sessions', undefined],
  ] as const;

  it.each(changes)('is not taken over by a user manager: %s users/{id}%s', async (method, path, body) => {
    const { userId } = await aUser(world);
    const manager = await aServiceUser(world, 'ORG_USER_MANAGER');
    await api.sql.query(
      `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, 'ORG_OWNER', $2)`,
      [userId, world.orgId],
    );
    const response = await manager.call(method, `users/${userId}${path}`, body);
    expect(response.json()).toEqual(errorBody(7, 'No matching permissions found', 'AUTH-3jknH'));
    expect(await eventsOf(userId)).toEqual([]);
    expect((await owner.call(method, `users/${userId}${path}`, body)).statusCode).toBe(200);
  });

  it('may hold the role in another organization, or in the instance', async () => {
    const other = await anOrganization(api);
    for (const [role, orgId] of [
      ['ORG_OWNER', other.orgId],
      ['IAM_OWNER', null],
      ['IAM_END_USER_IMPERSONATOR', null],
    ]) {
      const { userId } = await aUser(world);
      await api.sql.query(
        `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, $3, $4)`,
        [userId, world.orgId, role, orgId],
      );
      const response = await owner.call('POST', `users/${userId}/password`, {
        password: 'Marker-Passw0rd!2',
      });
      expect(response.statusCode).toBe(403);
    }
  });
});

describe('adding a human', () => {
  it('is for user managers too, and takes a password but no hash', async () => {
    const manager = await aServiceUser(world, 'ORG_USER_MANAGER');
    const { hashedPassword: _, ...human } = record();
    const response = await manager.call('POST', 'users/human', { ...human, password: PASSWORD });
    const { userId, details } = response.json<{ userId: string; details: object }>();
    expect(details).toEqual({
      sequence: '1',
      creationDate: expect.any(String) as string,
      resourceOwner: world.orgId,
    });
    expect(await eventsOf(userId)).toMatchObject([{ type: 'user.human.added', actor_id: manager.userId }]);
    const hashed = await manager.call('POST', 'users/human', record());
    expect(hashed.json()).toEqual(errorBody(3, 'unknown field "hashedPassword"'));
    const weak = await manager.call('POST', 'users/human', { ...human, userName: 'weak', password: 'short' });
    expect(weak.json()).toMatchObject({ code: 3 });
    const guessable = { ...human, userName: 'guessable', password: 'Password1!' };
    const refused = await manager.call('POST', 'users/human', guessable);
    expect(refused.json<{ message: string }>().message).toMatch(/^Password is easy to guess/);
  });
});

describe('profile, user name and phone', () => {
  it('replaces what protocol §1.1 names as a whole, and other claims where they are named', async () => {
    const user = await aUser(world, { profile: { nickName: 'Nick', middleName: 'Mid' } });
    const path = `users/${user.userId}/profile`;
    const profile = {
      firstName: 'Grace',
      lastName: 'Hopper',
      gender: 'GENDER_FEMALE',
      preferredLanguage: 'de',
    };
    expect((await owner.call('PUT', path, profile)).json()).toEqual(changed('2'));
    expect((await owner.call('GET', path)).json()).toEqual({
      details: expect.objectContaining({ sequence: '2' }) as object,
      profile: { ...profile, displayName: 'Grace Hopper', middleName: 'Mid' },
    });
    expect(await eventsOf(user.userId)).toMatchObject([
      {
        type: 'user.human.profile.changed',
        fields: ['displayName', 'firstName', 'gender', 'lastName', 'nickName', 'preferredLanguage'],
      },
    ]);
    expect((await owner.call('PUT', path, { ...profile, roles: ['x'] })).json()).toEqual(
      errorBody(3, 'unknown field "roles"'),
    );
    expect((await owner.call('PUT', path, { firstName: 'A\r\nBcc: x', lastName: 'B' })).statusCode).toBe(400);
  });

  it('gives a user name to one of two who want it', async () => {
    const users = [await aUser(world), await aUser(world)];
    const names = ['wanted-name', 'Wanted-Name'];
    const answers = await Promise.all(
      users.map(({ userId }, index) =>
        owner.call('PUT', `users/${userId}/username`, { userName: names[index] }),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
    const winner = users.find((_, index) => answers[index]?.statusCode === 200);
    expect(await signInStatus(`wanted-name@${world.domain}`)).toBe(303);
    expect(await signInStatus(winner?.loginName ?? '')).toBe(400);
    expect(answers.find(({ statusCode }) => statusCode === 409)?.json()).toEqual(
      errorBody(6, 'User already exists', 'V3-DKcYh'),
    );
  });

  it('sets, reads and removes a phone number', async () => {
    const { userId } = await aUser(world);
    const path = `users/${userId}/phone`;
    expect((await owner.call('GET', path)).json()).toEqual(errorBody(5, 'Phone not found', 'COMMAND-2b7Hf'));
    expect((await owner.call('DELETE', path)).json()).toEqual(
      errorBody(5, 'Phone not found', 'COMMAND-2b7Hf'),
    );
    expect((await owner.call('PUT', path, { phone: '079 123 45 67' })).json()).toEqual(changed('2'));
    expect((await owner.call('GET', path)).json()).toMatchObject({ phone: { phone: '+41791234567' } });
    await owner.call('PUT', path, { phone: '+41791234567', isPhoneVerified: true });
    expect((await owner.call('GET', path)).json()).toMatchObject({ phone: { isPhoneVerified: true } });
    expect((await owner.call('PUT', path, { phone: 'no number' })).json()).toEqual(
      errorBody(3, 'Phone is invalid', 'PHONE-so0wa'),
    );
    expect((await owner.call('DELETE', path)).json()).toEqual(changed('4'));
  });
});

describe('changing an e-mail address', () => {
  it('S057 waits for the code while the verified address stays valid, and notifies that address', async () => {
    const user = await aUser(world);
    const before = `${user.userName}@mail.test`;
    const path = `users/${user.userId}/email`;
    expect((await owner.call('PUT', path, { email: 'First@New.test' })).json()).toEqual(changed('2'));
    const first = await newestCode(api, user.userId);
    await owner.call('PUT', path, { email: 'second@new.test' });
    expect((await owner.call('GET', path)).json()).toMatchObject({
      email: { email: before, isEmailVerified: true, pendingEmail: 'second@new.test' },
    });
    expect(await identifiersOf(user.userId)).toEqual([before]);
    const mails = await mailsTo(user.userId);
    expect(mails).toContainEqual({ template: 'email_changed', to: before });
    expect(mails).toContainEqual({ template: 'verify_email', to: 'second@new.test' });
    const { rows } = await api.sql.query<{ id: string; target: string }>(
      `SELECT id, target FROM verification_codes WHERE user_id = $1 ORDER BY created_at`,
      [user.userId],
    );
    const code = await newestCode(api, user.userId);
    const confirm = async (id: string | undefined, typed: string) =>
      await api.app.get(VerifyEmail).execute(id ?? '', typed);
    await confirm(rows[0]?.id, first);
    expect(await identifiersOf(user.userId)).toEqual([before]);
    await confirm(rows[1]?.id, code);
    expect(await identifiersOf(user.userId)).toEqual(['second@new.test']);
    expect((await owner.call('GET', path)).json()).toMatchObject({
      email: { email: 'second@new.test', isEmailVerified: true },
    });
    expect(await signInStatus(before)).toBe(400);
    expect(await signInStatus('second@new.test')).toBe(303);
  });

  it("takes the word of a manager who vouches for it, unless it is another user's", async () => {
    const user = await aUser(world);
    const other = await aUser(world);
    const path = `users/${user.userId}/email`;
    const taken = { email: `${other.userName}@mail.test`, isEmailVerified: true };
    expect((await owner.call('PUT', path, taken)).statusCode).toBe(409);
    const free = { email: `${user.userName}@new.test`, isEmailVerified: true };
    expect((await owner.call('PUT', path, free)).json()).toEqual(changed('2'));
    expect(await identifiersOf(user.userId)).toEqual([free.email]);
    expect((await owner.call('POST', `${path}/_resend_verification`)).json()).toMatchObject({ code: 9 });
  });

  it('keeps one of two changes at once, with one code alive', async () => {
    const user = await aUser(world);
    const answers = await Promise.all(
      ['one@race.test', 'two@race.test'].map((email) =>
        owner.call('PUT', `users/${user.userId}/email`, { email }),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const { rows } = await api.sql.query<{ target: string; pending: string }>(
      `SELECT c.target, h.pending_email AS pending FROM verification_codes c JOIN user_humans h USING (user_id)
       WHERE c.user_id = $1 AND c.ended_at IS NULL`,
      [user.userId],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.target).toBe(rows[0]?.pending);
    expect((await eventsOf(user.userId)).map(({ sequence }) => sequence)).toEqual(['2', '3']);
  });

  it('sends another code, and not too often', async () => {
    const user = await aUser(world, { email: { address: 'unverified@mail.test', verified: false } });
    const path = `users/${user.userId}/email/_resend_verification`;
    expect((await owner.call('POST', path)).statusCode).toBe(200);
    const again = await owner.call('POST', path);
    expect(again.statusCode).toBe(429);
    expect(again.headers['retry-after']).toBe('60');
  });
});

describe('a password set by a manager', () => {
  it('S058 ends sessions and tokens, must be changed at the next sign-in, and the owner is notified', async () => {
    const user = await aUser(world);
    const tokens = await obtainTokens(api, client, user, { scope: 'openid offline_access' });
    const path = `users/${user.userId}/password`;
    expect((await owner.call('POST', path, { password: 'weak' })).json()).toMatchObject({ code: 3 });
    expect((await owner.call('POST', path, { password: 'Another-Passw0rd!' })).json()).toEqual(changed('2'));
    expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(401);
    expect(await mailsTo(user.userId)).toEqual([
      { template: 'password_changed', to: `${user.userName}@mail.test` },
    ]);
    expect(await signInStatus(user.loginName)).toBe(400);
    const { rows } = await api.sql.query(`SELECT change_required FROM user_passwords WHERE user_id = $1`, [
      user.userId,
    ]);
    expect(rows).toEqual([{ change_required: true }]);
    expect(await eventsOf(user.userId)).toMatchObject([
      { type: 'user.human.password.set', fields: ['password'], actor_id: owner.userId },
    ]);
  });

  it('or a code for one, while the present one holds', async () => {
    const user = await aUser(world);
    expect((await owner.call('POST', `users/${user.userId}/password/_reset`)).json()).toEqual(changed('2'));
    expect(await mailsTo(user.userId)).toMatchObject([{ template: 'reset_password' }]);
    expect(await signInStatus(user.loginName)).toBe(303);
    expect((await owner.call('POST', `users/${user.userId}/password/_reset`)).statusCode).toBe(429);
    const { userId } = await aUser(world);
    await owner.call('POST', `users/${userId}/_lock`);
    expect((await owner.call('POST', `users/${userId}/password/_reset`)).json()).toMatchObject({ code: 9 });
  });
});

describe('sessions', () => {
  it('are listed without secrets and end, one or all, on every replica', async () => {
    const user = await aUser(world);
    const tokens = await obtainTokens(api, client, user);
    const others = await obtainTokens(api, client, user);
    const path = `users/${user.userId}/sessions`;
    const listed = (await owner.call('GET', path)).json<{ result: { id: string }[] }>().result;
    expect(listed).toHaveLength(2);
    for (const session of listed) {
      expect(Object.keys(session).filter((key) => key !== 'browser')).toEqual([
        'id',
        'creationDate',
        'authenticationDate',
        'lastSeenDate',
      ]);
    }
    const last = listed[0]?.id ?? '';
    expect((await owner.call('DELETE', `${path}/${last}`)).statusCode).toBe(200);
    expect((await owner.call('DELETE', `${path}/${last}`)).json()).toMatchObject({ code: 5 });
    const alive = async () =>
      (await Promise.all([tokens, others].map(({ access_token }) => userinfo(replica, access_token)))).filter(
        ({ statusCode }) => statusCode === 200,
      ).length;
    expect(await alive()).toBe(1);
    const another = await aUser(world);
    await obtainTokens(api, client, another);
    const foreign = (await owner.call('GET', `users/${another.userId}/sessions`)).json<{
      result: { id: string }[];
    }>().result[0]?.id;
    expect((await owner.call('DELETE', `${path}/${foreign}`)).statusCode).toBe(404);
    expect((await owner.call('DELETE', path)).statusCode).toBe(200);
    expect(await alive()).toBe(0);
  });
});

describe('metadata', () => {
  it('is set, read, listed and removed', async () => {
    const { userId } = await aUser(world);
    const path = `users/${userId}/metadata`;
    const value = Buffer.from('gold').toString('base64');
    const set = (await owner.call('PUT', `${path}/plan`, { value })).json<ReturnType<typeof changed>>();
    expect(set).toEqual(changed(set.details.sequence));
    const next = String(Number(set.details.sequence) + 1);
    expect((await owner.call('POST', `${path}/plan`, { value })).json()).toEqual(changed(next));
    await owner.call('PUT', `${path}/${encodeURIComponent('Ä/b c')}`, { value });
    expect((await owner.call('GET', `${path}/plan`)).json()).toMatchObject({
      metadata: { key: 'plan', value },
    });
    const listed = await owner.call('POST', `${path}/_search`, { query: { limit: 1, asc: true } });
    expect(listed.json()).toMatchObject({ details: { totalResult: '2' }, result: [{ key: 'plan' }] });
    expect((await owner.call('POST', `${path}/_search`, { keyStartsWith: 'Ä' })).json()).toMatchObject({
      result: [{ key: 'Ä/b c' }],
    });
    expect((await owner.call('POST', `${path}/_search`, { keyStartsWith: '\0' })).statusCode).toBe(400);
    expect((await owner.call('GET', `${path}/%00`)).statusCode).toBe(404);
    expect((await owner.call('DELETE', `${path}/plan`)).statusCode).toBe(200);
    expect((await owner.call('GET', `${path}/plan`)).json()).toMatchObject({ code: 5 });
    expect((await eventsOf(userId)).map(({ sequence, type }) => [sequence, type])).toEqual([
      ['2', 'user.metadata.set'],
      ['3', 'user.metadata.set'],
      ['4', 'user.metadata.set'],
      ['5', 'user.metadata.removed'],
    ]);
  });

  it('is a million bytes and 200 keys at most for one user, also of many written at once', async () => {
    const { userId } = await aUser(world);
    const path = `users/${userId}/metadata`;
    const put = async (key: string, bytes: number) =>
      (await owner.call('PUT', `${path}/${key}`, { value: Buffer.alloc(bytes, 7).toString('base64') }))
        .statusCode;
    // each with a key of one byte
    const statuses = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => put(key, 333_332)));
    expect(statuses.toSorted()).toEqual([200, 200, 200, 400, 400]);
    const tooMuch = await owner.call('PUT', `${path}/f`, { value: 'AA==' });
    expect(tooMuch.json()).toEqual(
      errorBody(9, 'A user can have 200 keys and 1000000 bytes of metadata', 'META-4kQ8d'),
    );
    const [kept] = (await owner.call('POST', `${path}/_search`, { query: { limit: 1 } })).json<{
      result: { key: string }[];
    }>().result;
    // what is there may be replaced
    expect(await put(kept?.key ?? '', 333_333)).toBe(200);
    expect(await put(kept?.key ?? '', 333_334)).toBe(400);
    const { userId: other } = await aUser(world);
    await api.sql.query(
      `INSERT INTO user_metadata (org_id, user_id, key, value)
       SELECT $1, $2, 'key ' || number, 'x' FROM generate_series(1, 199) AS number`,
      [world.orgId, other],
    );
    const last = `users/${other}/metadata`;
    expect((await owner.call('PUT', `${last}/last`, { value: 'AA==' })).statusCode).toBe(200);
    expect((await owner.call('PUT', `${last}/more`, { value: 'AA==' })).statusCode).toBe(400);
    expect((await owner.call('PUT', `${last}/last`, { value: 'AQ==' })).statusCode).toBe(200);
  });

  it('takes 500,000 bytes and not one more', async () => {
    const { userId } = await aUser(world);
    const put = (bytes: number) =>
      owner.call('PUT', `users/${userId}/metadata/big`, { value: Buffer.alloc(bytes, 7).toString('base64') });
    expect((await put(500_000)).statusCode).toBe(200);
    expect((await put(500_001)).statusCode).toBe(400);
    expect((await put(0)).statusCode).toBe(400);
    const wrong = await owner.call('PUT', `users/${userId}/metadata/big`, { value: 'not base64' });
    expect(wrong.statusCode).toBe(400);
  });
});

describe('a manager’s own account (S468)', () => {
  const AUDIENCE = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';
  const console = given(() => anApplication(world, { managementAccess: 'instance' }));
  const manager = given(async () => {
    const user = await aUser(world);
    const { userId } = user;
    await owner.call('POST', 'orgs/me/members', { userId, roles: ['ORG_USER_MANAGER'] });
    const { access_token: pat } = await obtainTokens(api, console, user, { scope: AUDIENCE });
    return { userId, pat };
  });

  it.each([
    ['PUT', '/email', { email: 'other@mail.test', isEmailVerified: true }],
    ['PUT', '/phone', { phone: '+41791234567', isPhoneVerified: true }],
    ['DELETE', '/phone', {}],
    ['POST', '/password', { password: PASSWORD }],
    ['POST', '/idps', { idpId: 'provider', externalUserId: 'somebody', displayName: 'Somebody' }],
    ['DELETE', '/idps/identity', {}],
  ] as const)('is not changed by what manages others: %s %s', async (method, part, body) => {
    const { userId, pat } = manager;
    const path = `/management/v1/users/${userId}${part}`;
    const refused = await call(api, method, path, { pat, body });
    expect(refused.statusCode, refused.body).toBe(400);
    expect(refused.json()).toMatchObject({ message: expect.stringContaining('COMMAND-Ow7nA') as string });
    const other = await aUser(world);
    const answer = await call(api, method, path.replace(userId, other.userId), { pat, body });
    expect(answer.body).not.toContain('COMMAND-Ow7nA');
  });
});
