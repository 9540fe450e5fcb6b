import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Role } from '../../../src/domain/permissions/permissions.js';
import { anApplication } from '../../support/applications.js';
import { call, errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const elsewhere = given(() => anOrganization(api));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const human = given(() => aUser(world));

let counter = 0;
const freshName = () => `robot-${(counter += 1)}`;

async function addRobot(body: Record<string, unknown> = {}): Promise<string> {
  const given = { userName: freshName(), name: 'Robot', ...body };
  const response = await owner.call('POST', 'users/machine', given);
  expect(response.statusCode).toBe(200);
  return response.json<{ userId: string }>().userId;
}

const created = (sequence: string) => ({
  sequence,
  creationDate: expect.stringMatching(/Z$/) as string,
  resourceOwner: world.orgId,
});
const changed = (sequence: string) => ({
  sequence,
  changeDate: expect.stringMatching(/Z$/) as string,
  resourceOwner: world.orgId,
});
const read = (sequence: string) => ({ ...created(sequence), ...changed(sequence) });

async function eventsOf(id: string) {
  const { rows } = await api.sql.query<Record<string, unknown>>(
    'SELECT type, sequence::int, actor_id, data FROM events WHERE aggregate_id = $1 ORDER BY sequence',
    [id],
  );
  return rows;
}

async function statusOf(pat: string): Promise<number> {
  const headers = { authorization: `Bearer ${pat}` };
  return (await api.app.inject({ url: '/oidc/v1/userinfo', headers })).statusCode;
}

describe('POST users/machine', () => {
  it('adds a service user, who is read with what was given', async () => {
    const userName = freshName();
    const response = await owner.call('POST', 'users/machine', {
      userName,
      name: 'Build',
      description: 'Builds things',
      access_token_type: 'ACCESS_TOKEN_TYPE_JWT',
    });
    expect(response.statusCode).toBe(200);
    const { userId } = response.json<{ userId: string }>();
    expect(response.json()).toEqual({ userId, details: created('1') });
    expect((await owner.call('GET', `users/${userId}`)).json()).toMatchObject({
      user: {
        userName,
        preferredLoginName: `${userName}@${world.domain}`,
        machine: {
          name: 'Build',
          description: 'Builds things',
          accessTokenType: 'ACCESS_TOKEN_TYPE_JWT',
        },
      },
    });
    expect(await eventsOf(userId)).toEqual([
      { type: 'user.machine.added', sequence: 1, actor_id: owner.userId, data: expect.anything() as object },
    ]);
  });

  it('takes an id that the caller chose, once', async () => {
    const body = { userName: freshName(), name: 'n', userId: `chosen-${world.domain}` };
    const response = await owner.call('POST', 'users/machine', body);
    expect(response.json()).toMatchObject({ userId: body.userId });
    const again = await owner.call('POST', 'users/machine', { ...body, userName: freshName() });
    expect(again.statusCode).toBe(409);
    expect(again.json()).toEqual(errorBody(6, 'User already exists', 'V3-DKcYh'));
  });

  it('keeps names unique, and cuts the own domain off', async () => {
    const name = freshName();
    const userId = await addRobot({ userName: `${name}@${world.domain}` });
    expect((await owner.call('GET', `users/${userId}`)).json()).toMatchObject({ user: { userName: name } });
    const again = await owner.call('POST', 'users/machine', { userName: name.toUpperCase(), name: 'n' });
    expect(again.statusCode).toBe(409);
  });

  it.each([
    [{ name: 'n' }, 'userName is required'],
    [{ userName: 'u' }, 'name is required'],
    [{ userName: 'x'.repeat(201), name: 'n' }, 'userName must have 1 to 200 characters'],
    [{ userName: 'u', name: 'x'.repeat(201) }, 'name must have 1 to 200 characters'],
    [{ userName: 'u', name: 'n', description: 'x'.repeat(501) }, 'description must have 0 to 500 characters'],
    [{ userName: 'u', name: 'n', accessTokenType: 'JWT' }, 'accessTokenType must be one of'],
    [{ userName: 'u', name: 'n', userId: 'a b' }, 'userId must be'],
    [{ userName: 'u', name: 'n', roles: [] }, 'unknown field "roles"'],
    // what a client or a project is called: its tokens would pass for theirs
    [{ userName: '283746520198471234', name: 'n' }, 'userName must not consist of digits alone'],
  ])('refuses %j', async (body, message) => {
    const response = await owner.call('POST', 'users/machine', body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 3, message: expect.stringContaining(message) as string });
  });

  it('cannot be named like a client afterwards, by a new name or by a new primary domain', async () => {
    // its JWT would be one for that client, to whoever looks at the audience alone
    const { clientId } = await anApplication(await anOrganization(api));
    const userId = await addRobot({});
    const renamed = await owner.call('PUT', `users/${userId}/username`, { userName: clientId });
    expect(renamed.statusCode).toBe(400);
    expect(renamed.json()).toMatchObject({ message: 'userName must not consist of digits alone' });
    const domain = `${freshName()}.test`;
    const root = await aServiceUser(world, 'IAM_OWNER');
    expect((await root.call('POST', 'orgs/me/domains', { domain })).statusCode).toBe(200);
    const other = await addRobot({ userName: `${clientId}@${domain}` });
    const primary = await owner.call('POST', `orgs/me/domains/${domain}/_set_primary`);
    expect(primary.statusCode).toBe(400);
    expect(primary.json()).toMatchObject({ code: 9 });
    expect((await owner.call('GET', `users/${other}`)).json()).toMatchObject({
      user: { userName: `${clientId}@${domain}` },
    });
  });

  it('cannot come to a name of digits alone by a rename or a new primary domain, as humans may', async () => {
    const fresh = await anOrganization(api);
    const root = await aServiceUser(fresh, 'IAM_OWNER');
    const by = async (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) =>
      await root.call(method, path, body);
    const made = await by('POST', 'users/machine', { userName: 'robot', name: 'n' });
    const { userId } = made.json<{ userId: string }>();
    const message = 'userName must not consist of digits alone';
    for (const userName of ['283746520198471234', '２８３', `77@${fresh.domain}`]) {
      const response = await by('PUT', `users/${userId}/username`, { userName });
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ code: 3, message });
    }
    const { userId: human } = await aUser(fresh);
    expect((await by('PUT', `users/${human}/username`, { userName: '283746520198471234' })).statusCode).toBe(
      200,
    );
    const domain = `next-${fresh.domain}`;
    expect((await by('PUT', `users/${userId}/username`, { userName: `12@${domain}` })).statusCode).toBe(200);
    expect((await by('POST', 'orgs/me/domains', { domain })).statusCode).toBe(200);
    const primary = async () => await by('POST', `orgs/me/domains/${domain}/_set_primary`, {});
    expect((await primary()).json()).toMatchObject({ code: 9, details: [{ id: 'ORG-n7Rw3' }] });
    expect((await by('GET', 'orgs/me')).json()).toMatchObject({ org: { primaryDomain: fresh.domain } });
    expect((await by('PUT', `users/${userId}/username`, { userName: 'robot' })).statusCode).toBe(200);
    expect((await primary()).statusCode).toBe(200);
  });

  it('takes 500 characters of description and 200 of name', async () => {
    const longest = { name: 'x'.repeat(200), description: 'x'.repeat(500) };
    const userId = await addRobot(longest);
    const { user } = (await owner.call('GET', `users/${userId}`)).json<{ user: object }>();
    expect(user).toMatchObject({ machine: longest });
  });
});

describe('PUT users/{id}/machine', () => {
  it('replaces what may change, and tells the names of it', async () => {
    const userId = await addRobot({ description: 'before' });
    const body = { name: 'After', accessTokenType: 'ACCESS_TOKEN_TYPE_JWT' };
    const response = await owner.call('PUT', `users/${userId}/machine`, body);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ details: changed('2') });
    const { user } = (await owner.call('GET', `users/${userId}`)).json<{ user: Record<string, unknown> }>();
    expect(user).toMatchObject({ details: read('2') });
    expect(user['machine']).toEqual({ name: 'After', accessTokenType: 'ACCESS_TOKEN_TYPE_JWT' });
    const [, event] = await eventsOf(userId);
    expect(event).toMatchObject({ type: 'user.machine.changed', sequence: 2, actor_id: owner.userId });
    expect(JSON.stringify(event)).not.toContain('After');
  });
});

describe('PUT and DELETE users/{id}/secret', () => {
  it('shows a secret once and stores its hash; removes it; each with its event', async () => {
    const userName = freshName();
    const userId = await addRobot({ userName });
    const response = await owner.call('PUT', `users/${userId}/secret`, {});
    expect(response.statusCode).toBe(200);
    const { clientSecret } = response.json<{ clientSecret: string }>();
    expect(clientSecret).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(response.json()).toEqual({ clientId: userName, clientSecret, details: changed('2') });
    const { rows } = await api.sql.query(
      `SELECT secret_hash = sha256(convert_to($2, 'UTF8')) AS same FROM service_users WHERE user_id = $1`,
      [userId, clientSecret],
    );
    expect(rows).toEqual([{ same: true }]);
    const removed = await owner.call('DELETE', `users/${userId}/secret`);
    expect(removed.json()).toEqual({ details: changed('3') });
    const again = await owner.call('DELETE', `users/${userId}/secret`);
    expect(again.statusCode).toBe(400);
    expect(again.json()).toEqual(errorBody(9, 'User has no secret', 'COMMAND-coi82n'));
    expect((await eventsOf(userId)).map(({ type }) => type)).toEqual([
      'user.machine.added',
      'user.machine.secret.set',
      'user.machine.secret.removed',
    ]);
    expect(JSON.stringify(await eventsOf(userId))).not.toContain(clientSecret);
  });

  it('gives the same secret for the same Idempotency-Key, and keeps it nowhere in the clear', async () => {
    const userId = await addRobot();
    const options = { pat: owner.pat, body: {}, headers: { 'idempotency-key': `secret-${userId}` } };
    const first = await call(api, 'PUT', `users/${userId}/secret`, options);
    const second = await call(api, 'PUT', `users/${userId}/secret`, options);
    expect(second.json()).toEqual(first.json());
    const { rows } = await api.sql.query('SELECT row_to_json(k)::text AS row FROM idempotency_keys k');
    expect(JSON.stringify(rows)).not.toContain(first.json<{ clientSecret: string }>().clientSecret);
  });
});

describe('users/{id}/keys', () => {
  it('makes a key file, lists the key, reads it and removes it', async () => {
    const userId = await addRobot();
    const added = await owner.call('POST', `users/${userId}/keys`, {
      type: 'KEY_TYPE_JSON',
      expirationDate: '2050-01-01T00:00:00Z',
    });
    expect(added.statusCode).toBe(200);
    const { keyId, keyDetails } = added.json<{ keyId: string; keyDetails: string }>();
    expect(added.json()).toEqual({ id: keyId, keyId, keyDetails, details: created('1') });
    const file = JSON.parse(Buffer.from(keyDetails, 'base64').toString()) as Record<string, string>;
    expect(file).toEqual({
      type: 'serviceaccount',
      keyId,
      key: expect.stringMatching(/^-----BEGIN RSA PRIVATE KEY-----\n/) as string,
      expirationDate: '2050-01-01T00:00:00.000Z',
      userId,
    });
    const { rows } = await api.sql.query('SELECT public_jwk FROM service_user_keys WHERE id = $1', [keyId]);
    expect(Object.keys((rows[0] as { public_jwk: object }).public_jwk).sort()).toEqual(['e', 'kty', 'n']);

    const key = {
      id: keyId,
      keyId,
      details: read('1'),
      type: 'KEY_TYPE_JSON',
      expirationDate: '2050-01-01T00:00:00.000Z',
    };
    const list = await owner.call('GET', `users/${userId}/keys`);
    expect(list.json()).toMatchObject({ details: { totalResult: '1' }, result: [key] });
    expect((await owner.call('GET', `users/${userId}/keys/${keyId}`)).json()).toEqual({ key });

    const removed = await owner.call('DELETE', `users/${userId}/keys/${keyId}`);
    expect(removed.json()).toEqual({ details: changed('2') });
    for (const method of ['GET', 'DELETE'] as const) {
      const gone = await owner.call(method, `users/${userId}/keys/${keyId}`);
      expect(gone.json()).toEqual(errorBody(5, 'Key could not be found', 'QUERY-Tha6f'));
    }
    expect(await eventsOf(keyId)).toEqual([
      { type: 'user.machine.key.added', sequence: 1, actor_id: owner.userId, data: { userId } },
      { type: 'user.machine.key.removed', sequence: 2, actor_id: owner.userId, data: { userId } },
    ]);
  });

  it('takes a public key of the caller, and gives no file then', async () => {
    const userId = await addRobot();
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    for (const given of [pem, Buffer.from(pem).toString('base64')]) {
      const added = await owner.call('POST', `users/${userId}/keys`, { publicKey: given });
      expect(added.json()).toEqual({
        id: expect.any(String) as string,
        keyId: expect.any(String) as string,
        details: created('1'),
      });
    }
    const list = await owner.call('GET', `users/${userId}/keys?limit=1&offset=1&asc=true`);
    const { result } = list.json<{ result: { expirationDate: string }[] }>();
    expect(list.json()).toMatchObject({ details: { totalResult: '2' } });
    expect(result.map(({ expirationDate }) => expirationDate)).toEqual(['9999-12-31T23:59:59.000Z']);
  });

  it.each([
    [{ expirationDate: '2020-01-01T00:00:00Z' }, 'expirationDate must lie in the future (DOMAIN-dv3t5)'],
    [{ expirationDate: 'tomorrow' }, 'expirationDate must be a date and time'],
    [{ type: 'KEY_TYPE_PEM' }, 'type must be one of'],
    [{ publicKey: 'no key' }, 'publicKey must be'],
    [
      {
        publicKey: generateKeyPairSync('rsa', { modulusLength: 1024 })
          .publicKey.export({ type: 'spki', format: 'pem' })
          .toString(),
      },
      'publicKey must have 2048',
    ],
    [
      {
        publicKey: generateKeyPairSync('ed25519')
          .privateKey.export({ type: 'pkcs8', format: 'pem' })
          .toString(),
      },
      'publicKey must not hold a private',
    ],
  ])('refuses %j', async (body, message) => {
    const response = await owner.call('POST', `users/${await addRobot()}/keys`, body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 3, message: expect.stringContaining(message) as string });
  });

  it.each(['offset=-1', 'limit=1001', 'asc=yes', 'sort=id'])('refuses a list with %s', async (query) => {
    const response = await owner.call('GET', `users/${owner.userId}/keys?${query}`);
    expect(response.statusCode).toBe(400);
  });
});

describe('users/{id}/pats', () => {
  it('makes a token that works, lists it without the secret, and ends it', async () => {
    const userId = await addRobot();
    const added = await owner.call('POST', `users/${userId}/pats`, {});
    expect(added.statusCode).toBe(200);
    const { tokenId, token } = added.json<{ tokenId: string; token: string }>();
    expect(added.json()).toEqual({ tokenId, token, details: created('1') });
    expect(await statusOf(token)).toBe(200);

    const shown = { id: tokenId, details: read('1'), expirationDate: '9999-12-31T23:59:59.000Z' };
    const list = await owner.call('GET', `users/${userId}/pats`);
    expect(list.json()).toMatchObject({ details: { totalResult: '1' }, result: [shown] });
    expect(list.body).not.toContain(token);
    expect((await owner.call('GET', `users/${userId}/pats/${tokenId}`)).json()).toEqual({ token: shown });

    const other = await owner.call('POST', `users/${userId}/pats`, {});
    const removed = await owner.call('DELETE', `users/${userId}/pats/${tokenId}`);
    expect(removed.json()).toEqual({ details: changed('2') });
    expect(await statusOf(token)).toBe(401);
    // itself and nothing else
    expect(await statusOf(other.json<{ token: string }>().token)).toBe(200);
    for (const method of ['GET', 'DELETE'] as const) {
      const gone = await owner.call(method, `users/${userId}/pats/${tokenId}`);
      expect(gone.json()).toEqual(errorBody(5, 'Personal Access Token could not be found', 'QUERY-fRunu'));
    }
    expect(await eventsOf(tokenId)).toEqual([
      { type: 'user.personal_access_token.added', sequence: 1, actor_id: owner.userId, data: { userId } },
      { type: 'user.personal_access_token.removed', sequence: 2, actor_id: owner.userId, data: { userId } },
    ]);
  });

  it('works until its end and not a moment longer', async () => {
    const userId = await addRobot();
    const past = await owner.call('POST', `users/${userId}/pats`, { expirationDate: '2020-01-01T00:00:00Z' });
    expect(past.json()).toEqual(errorBody(3, 'expirationDate must lie in the future', 'DOMAIN-dv3t5'));
    const expirationDate = new Date(Date.now() + 3_600_000).toISOString();
    const added = await owner.call('POST', `users/${userId}/pats`, { expirationDate });
    const { token } = added.json<{ token: string }>();
    expect(await statusOf(token)).toBe(200);
    await api.advance(3_601);
    try {
      expect(await statusOf(token)).toBe(401);
    } finally {
      await api.advance(-3_601);
    }
  });

  it('is not made for a user who is shut out, and can still be taken away', async () => {
    const userId = await addRobot();
    const added = await owner.call('POST', `users/${userId}/pats`, {});
    await owner.call('POST', `users/${userId}/_deactivate`, {});
    for (const [method, path, body] of [
      ['POST', 'pats', {}],
      ['POST', 'keys', {}],
      ['PUT', 'secret', {}],
    ] as const) {
      const refused = await owner.call(method, `users/${userId}/${path}`, body);
      expect(refused.json()).toEqual(errorBody(9, 'User is deactivated or locked', 'COMMAND-3M9fs'));
    }
    const { tokenId } = added.json<{ tokenId: string }>();
    expect((await owner.call('DELETE', `users/${userId}/pats/${tokenId}`)).statusCode).toBe(200);
  });

  it('nor for one who was deleted: nobody is found', async () => {
    const userId = await addRobot();
    expect((await owner.call('DELETE', `users/${userId}`)).statusCode).toBe(200);
    for (const [method, path] of [
      ['POST', 'pats'],
      ['POST', 'keys'],
      ['PUT', 'secret'],
    ] as const) {
      const refused = await owner.call(method, `users/${userId}/${path}`, {});
      expect(refused.json()).toEqual(errorBody(5, 'User could not be found', 'QUERY-Dfbg2'));
    }
  });
});

const ROUTES = [
  ['PUT', 'machine', { name: 'n' }],
  ['PUT', 'secret', {}],
  ['DELETE', 'secret', undefined],
  ['POST', 'keys', {}],
  ['GET', 'keys', undefined],
  ['GET', 'keys/1', undefined],
  ['DELETE', 'keys/1', undefined],
  ['POST', 'pats', {}],
  ['GET', 'pats', undefined],
  ['GET', 'pats/1', undefined],
  ['DELETE', 'pats/1', undefined],
] as const;

describe.each(ROUTES)('%s users/{id}/%s', (method, path, body) => {
  it('is not for people: 400, code 9', async () => {
    const response = await owner.call(method, `users/${human.userId}/${path}`, body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual(errorBody(9, 'User is not a service user', 'COMMAND-5N9fd'));
  });

  it('does not find a service user of another organization', async () => {
    const stranger = await aServiceUser(elsewhere);
    const response = await owner.call(method, `users/${stranger.userId}/${path}`, body);
    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual(errorBody(5, 'User could not be found', 'QUERY-Dfbg2'));
  });

  it('needs the permission', async () => {
    const viewer = await aServiceUser(world);
    const response = await viewer.call(method, `users/${owner.userId}/${path}`, body);
    expect(response.statusCode).toBe(403);
  });
});

it('a key and a token of another user of the organization are not found under this one', async () => {
  const [one, other] = [await addRobot(), await addRobot()];
  const { keyId } = (await owner.call('POST', `users/${one}/keys`, {})).json<{ keyId: string }>();
  const { tokenId } = (await owner.call('POST', `users/${one}/pats`, {})).json<{ tokenId: string }>();
  for (const path of [`keys/${keyId}`, `pats/${tokenId}`]) {
    expect((await owner.call('GET', `users/${other}/${path}`)).statusCode).toBe(404);
    expect((await owner.call('DELETE', `users/${other}/${path}`)).statusCode).toBe(404);
    expect((await owner.call('GET', `users/${one}/${path}`)).statusCode).toBe(200);
  }
});

describe('credentials for somebody who outranks the caller', () => {
  const outranked: readonly (readonly [Role, Role])[] = [
    ['ORG_USER_MANAGER', 'ORG_OWNER'],
    ['ORG_USER_MANAGER', 'ORG_ADMIN_IMPERSONATOR'],
    ['ORG_USER_MANAGER', 'IAM_OWNER'],
    ['ORG_OWNER', 'IAM_OWNER'],
    ['ORG_OWNER', 'IAM_OWNER_VIEWER'],
    ['ORG_OWNER', 'IAM_END_USER_IMPERSONATOR'],
  ];
  it.each(outranked)('%s makes none for %s, in no form', async (callerRole, targetRole) => {
    const caller = await aServiceUser(world, callerRole);
    const target = await aServiceUser(world, targetRole);
    const before = await api.sql.query('SELECT * FROM users WHERE id = $1', [target.userId]);
    for (const [method, path, body] of ROUTES.filter(([verb]) => verb !== 'GET')) {
      const response = await caller.call(method, `users/${target.userId}/${path}`, body);
      expect(response.json()).toEqual(errorBody(7, 'No matching permissions found', 'AUTH-3jknH'));
    }
    const after = await api.sql.query('SELECT * FROM users WHERE id = $1', [target.userId]);
    expect(after.rows).toEqual(before.rows);
    expect(await statusOf(target.pat)).toBe(200);
  });

  it('counts the roles that the target holds in another organization', async () => {
    const target = await aServiceUser(world, 'ORG_OWNER', elsewhere);
    const refused = await owner.call('POST', `users/${target.userId}/pats`, {});
    expect(refused.statusCode).toBe(403);
    const root = await aServiceUser(world, 'IAM_OWNER');
    expect((await root.call('POST', `users/${target.userId}/pats`, {})).statusCode).toBe(200);
  });

  it.each([
    ['ORG_OWNER', 'ORG_OWNER'],
    ['ORG_OWNER', 'ORG_USER_MANAGER'],
    ['ORG_USER_MANAGER', 'ORG_USER_MANAGER'],
    ['ORG_USER_MANAGER', undefined],
    ['IAM_OWNER', 'IAM_OWNER'],
  ] as const)('%s makes one for %s', async (callerRole, targetRole) => {
    const caller = await aServiceUser(world, callerRole);
    const target = await aServiceUser(world, targetRole);
    expect((await caller.call('POST', `users/${target.userId}/pats`, {})).statusCode).toBe(200);
  });
});
