import { describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../src/http/openapi/document.js';
import { anApplication } from '../../support/applications.js';
import { errorBody } from '../../support/calls.js';
import { documentedCalls } from '../../support/document-schemas.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// Two administrators who edit one thing: a change says by If-Match what it is made on top of (RFC 9110 §13.1.1).

const { api, world: home } = useWorld();
const world = given(() => anOrganization(api));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const root = given(() => aServiceUser(home, 'IAM_OWNER'));

interface Thing {
  /** Where it is read. */
  readonly path: string;
  /** Where it is changed, if that is elsewhere. */
  readonly put?: string;
  /** What it is changed to the nth time. */
  readonly body: (n: number) => object;
  readonly of?: 'instance';
}

async function aProjectId(): Promise<string> {
  const response = await owner.call('POST', 'projects', { name: `Project ${Math.random()}` });
  return response.json<{ id: string }>().id;
}

async function anOidcApplication(): Promise<{ readonly path: string }> {
  const { id } = await anApplication(world);
  return { path: `projects/${world.projectId}/apps/${id}` };
}

const OIDC = (n: number) => ({
  redirectUris: [`https://rp.test/cb/${n}`],
  responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
  grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
});

const THINGS: Readonly<Record<string, () => Promise<Thing>>> = {
  'the profile of a user': async () => ({
    path: `users/${(await aUser(world)).userId}/profile`,
    body: (n) => ({ firstName: 'Ada', lastName: `Lovelace ${n}` }),
  }),
  'the address of a user': async () => ({
    path: `users/${(await aUser(world)).userId}/email`,
    body: (n) => ({ email: `ada.${n}.${Math.random()}@post.example` }),
  }),
  'the user name of a user': async () => {
    const { userId } = await aUser(world);
    return {
      path: `users/${userId}`,
      put: `users/${userId}/username`,
      body: (n) => ({ userName: `${userId}-${n}` }),
    };
  },
  'the phone number of a user': async () => {
    const { userId } = await aUser(world);
    return {
      path: `users/${userId}`,
      put: `users/${userId}/phone`,
      body: (n) => ({ phone: `+4179000000${n}`, isPhoneVerified: true }),
    };
  },
  'metadata of a user': async () => {
    const path = `users/${(await aUser(world)).userId}/metadata/department`;
    await owner.call('PUT', path, { value: 'eA==' });
    return { path, body: (n) => ({ value: Buffer.from(`value ${n}`).toString('base64') }) };
  },
  'a service user': async () => {
    const { userId } = await aServiceUser(world);
    return { path: `users/${userId}`, put: `users/${userId}/machine`, body: (n) => ({ name: `Job ${n}` }) };
  },
  'a project': async () => ({
    path: `projects/${await aProjectId()}`,
    body: (n) => ({ name: `Renamed ${n}` }),
  }),
  'an application, its name': async () => ({
    ...(await anOidcApplication()),
    body: (n) => ({ name: `App ${n} ${Math.random()}` }),
  }),
  'an application, its settings': async () => {
    const { path } = await anOidcApplication();
    return { path, put: `${path}/oidc_config`, body: OIDC };
  },
  'an application, with its access': async () => {
    const { path } = await anOidcApplication();
    const access = (n: number) => (n % 2 === 0 ? 'none' : 'organization');
    return { path, put: `${path}/oidc_config`, body: (n) => ({ ...OIDC(n), managementAccess: access(n) }) };
  },
  'an organization': async () => ({
    path: 'orgs/me',
    body: (n) => ({ name: `Harbour ${n} ${Math.random()}` }),
  }),
  'a policy that was never set': async () => ({
    path: 'policies/login',
    body: (n) => ({ requireLoginName: n % 2 === 1 }),
  }),
  'a policy that was reset': async () => {
    await owner.call('PUT', 'policies/password', { minLength: 12 });
    await owner.call('DELETE', 'policies/password');
    return { path: 'policies/password', body: (n) => ({ minLength: 12 + n }) };
  },
  'the lockout policy': async () => ({
    path: 'policies/lockout',
    body: (n) => ({ maxPasswordAttempts: 5 + n }),
  }),
  'the token policy': async () => ({
    path: 'policies/tokens',
    body: (n) => ({ accessTokenLifetime: `${600 + n}s` }),
  }),
  'the policy of second factors': async () => ({
    path: 'policies/factors',
    body: (n) => ({ secondFactor: n % 2 === 0 ? 'offered' : 'off' }),
  }),
  'the branding': async () => ({
    path: 'policies/branding',
    body: (n) => ({ accentColor: `#10101${n}` }),
  }),
  'the texts of a message': async () => ({
    path: 'templates/password_changed/en',
    body: (n) => ({ subject: `Changed ${n}` }),
  }),
  'the roles that a user has in a project': async () => {
    const { userId } = await aUser(world);
    const projectId = await aProjectId();
    for (const roleKey of ['a', 'b', 'c', 'd', 'e', 'f'])
      await owner.call('POST', `projects/${projectId}/roles`, { roleKey, displayName: roleKey });
    const given = await owner.call('POST', `users/${userId}/grants`, { projectId, roleKeys: ['a'] });
    const { userGrantId } = given.json<{ userGrantId: string }>();
    return { path: `users/${userId}/grants/${userGrantId}`, body: (n) => ({ roleKeys: ['abcdef'[n]] }) };
  },
  'a provider of messages': async () => {
    const body = (n: number) => ({
      kind: 'smtp',
      name: `Relay ${n}`,
      host: 'mail.example.com',
      from: 'Example <id@example.com>',
    });
    const added = await root.call('POST', '/admin/v1/notification_providers', body(0));
    return {
      path: `/admin/v1/notification_providers/${added.json<{ id: string }>().id}`,
      body,
      of: 'instance',
    };
  },
  'an identity provider': async () => {
    const body = (n: number) => ({ kind: 'google', name: `G ${n}`, clientId: 'c', clientSecret: 's' });
    const added = await owner.call('POST', 'idps', body(0));
    return { path: `idps/${added.json<{ id: string }>().id}`, body };
  },
  'an identity provider of the instance': async () => {
    const body = (n: number) => ({ kind: 'google', name: `G ${n}`, clientId: 'c', clientSecret: 's' });
    const added = await root.call('POST', '/admin/v1/idps', body(0));
    return { path: `/admin/v1/idps/${added.json<{ id: string }>().id}`, body, of: 'instance' };
  },
  'a webhook': async () => {
    const body = (n: number) => ({
      name: `H ${n}`,
      url: 'https://hooks.example.com',
      eventTypes: ['user.*'],
    });
    const added = await owner.call('POST', 'webhooks', body(0));
    return { path: `webhooks/${added.json<{ id: string }>().id}`, body };
  },
  'a webhook of the instance': async () => {
    const body = (n: number) => ({
      name: `H ${n}`,
      url: 'https://hooks.example.com',
      eventTypes: ['user.*'],
    });
    const added = await root.call('POST', '/admin/v1/webhooks', body(0));
    return { path: `/admin/v1/webhooks/${added.json<{ id: string }>().id}`, body, of: 'instance' };
  },
  'the claims webhook': async () => {
    const body = (n: number) => ({ url: `https://hooks.example.com/${n}` });
    await owner.call('PUT', 'claims_webhook', body(0));
    return { path: 'claims_webhook', body };
  },
  'the just-in-time migration': async () => {
    const endsAt = new Date(Date.now() + 3_600_000).toISOString();
    const body = (n: number) => ({
      kind: 'webhook',
      url: `https://old.example.com/${n}`,
      isActive: false,
      endsAt,
    });
    await owner.call('PUT', 'user_migration', body(0));
    return { path: 'user_migration', body };
  },
  'the schedule of the signing keys': async () => ({
    path: '/admin/v1/keys/schedule',
    body: (n) => ({ rotationPeriod: `${90 + n}00000s`, leadTime: '86400s' }),
    of: 'instance',
  }),
  'the settings of security': async () => ({
    path: '/admin/v1/settings/security',
    body: (n) => ({ enableImpersonation: n % 2 === 1 }),
    of: 'instance',
  }),
  'the settings of tokens': async () => ({
    path: '/admin/v1/settings/oidc',
    body: (n) => ({ accessTokenLifetime: `${900 + n}s` }),
    of: 'instance',
  }),
};

const sequenceIn = (body: string): string => /"sequence":"(\d+)"/.exec(body)?.[1] ?? '';

describe.each(Object.entries(THINGS))('%s', (_name, make) => {
  const caller = (of: Thing['of']) => (of === 'instance' ? root : owner);

  async function read({ path, of }: Thing): Promise<{ readonly tag: string; readonly sequence: string }> {
    const response = await caller(of).call('GET', path);
    expect(response.statusCode, response.body).toBe(200);
    const sequence = sequenceIn(response.body);
    return { tag: String(response.headers['etag']), sequence };
  }
  const change = async ({ path, put = path, body, of }: Thing, n: number, tag: string) =>
    await caller(of).call('PUT', put, body(n), { headers: { 'if-match': tag } });

  it('is changed on top of what was read, and not on top of what somebody else changed', async () => {
    const thing = await make();
    const before = await read(thing);
    expect(before.tag).toBe(`"${before.sequence}"`);
    const first = await change(thing, 1, before.tag);
    expect(first.statusCode, first.body).toBe(200);
    const between = await read(thing);
    expect(between.sequence).toBe(first.json<{ details: { sequence: string } }>().details.sequence);
    const second = await change(thing, 2, before.tag);
    expect(second.statusCode, second.body).toBe(412);
    expect(second.json()).toEqual(
      errorBody(10, `It was changed meanwhile: its sequence is ${between.sequence}`, 'COMMAND-4Sq7x'),
    );
    // nothing of the refused change is there
    expect(await read(thing)).toEqual(between);
    expect((await change(thing, 3, between.tag)).statusCode).toBe(200);
  });

  it('is changed once by two who read the same at the same time', async () => {
    const thing = await make();
    const { tag } = await read(thing);
    const answers = await Promise.all([4, 5].map((n) => change(thing, n, tag)));
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 412]);
  });
});

describe('what DELETE sets back', () => {
  it.each([
    'a policy that was never set',
    'a policy that was reset',
    'the lockout policy',
    'the token policy',
    'the policy of second factors',
    'the texts of a message',
    'the claims webhook',
    'the just-in-time migration',
  ])('%s: not over what somebody else has set since it was read', async (name) => {
    const thing = await THINGS[name]?.();
    if (thing === undefined) throw new Error(`nothing is called ${name}`);
    const { path, body } = thing;
    const put = async (n: number) => {
      const response = await owner.call('PUT', path, body(n));
      expect(response.statusCode, response.body).toBe(200);
    };
    const tagOf = async () => String((await owner.call('GET', path)).headers['etag']);
    const remove = async (tag: string) =>
      await owner.call('DELETE', path, undefined, { headers: { 'if-match': tag } });
    await put(2);
    const before = await tagOf();
    await put(1);
    const theirs = await owner.call('GET', path);
    const refused = await remove(before);
    expect(refused.statusCode, refused.body).toBe(412);
    expect((await owner.call('GET', path)).json()).toEqual(theirs.json());
    expect((await remove(await tagOf())).statusCode).toBe(200);
  });
});

describe('what is removed for good', () => {
  const GONE = [
    'the texts of a message',
    'the claims webhook',
    'the just-in-time migration',
    'metadata of a user',
  ] as const;
  const SET_BACK = GONE.slice(0, 3);

  async function aThing(name: string) {
    const thing = await THINGS[name]?.();
    if (thing === undefined) throw new Error(`nothing is called ${name}`);
    const { path, body } = thing;
    const headersOf = (tag?: string) => (tag === undefined ? {} : { headers: { 'if-match': tag } });
    const put = async (n: number, tag?: string) =>
      (await owner.call('PUT', path, body(n), headersOf(tag))).statusCode;
    const remove = async (tag?: string) =>
      (await owner.call('DELETE', path, undefined, headersOf(tag))).statusCode;
    const read = async () => await owner.call('GET', path);
    const tag = async () => String((await read()).headers['etag']);
    // the second change of it
    await remove();
    expect([await put(1), await put(2)]).toEqual([200, 200]);
    return { put, remove, read, tag };
  }
  const beside = (tag: string, by: bigint) => `"${BigInt(tag.slice(1, -1)) + by}"`;

  it.each(GONE)('%s: is not brought back by who has not seen that it went', async (name) => {
    const { put, remove, read, tag } = await aThing(name);
    const before = await tag();
    expect(await remove()).toBe(200);
    const gone = await read();
    for (const by of [-1n, 0n, 1n, 2n]) expect(await put(3, beside(before, by))).toBe(412);
    expect((await read()).json()).toEqual(gone.json());
    // who has seen it sets it anew
    expect(await put(3, '"0"')).toBe(200);
    expect(await put(4, '"0"')).toBe(412);
    expect(await put(4, await tag())).toBe(200);
  });

  it.each(GONE)('%s: is another one once it is set anew', async (name) => {
    const { put, remove, read, tag } = await aThing(name);
    const before = await tag();
    expect(await remove()).toBe(200);
    expect([await put(3), await put(4)]).toEqual([200, 200]);
    const theirs = await read();
    for (const by of [-2n, -1n, 0n, 1n]) expect(await put(5, beside(before, by))).toBe(412);
    expect((await read()).json()).toEqual(theirs.json());
  });

  it.each(SET_BACK)('%s: is not removed by a number that was never its own', async (name) => {
    const { put, remove, read, tag } = await aThing(name);
    const before = await tag();
    expect(await remove(beside(before, 1n))).toBe(412);
    expect(await remove(before)).toBe(200);
    expect([await put(3), await put(4)]).toEqual([200, 200]);
    const theirs = await read();
    for (const by of [-2n, -1n, 0n, 1n]) expect(await remove(beside(before, by))).toBe(412);
    expect((await read()).json()).toEqual(theirs.json());
    expect(await remove(await tag())).toBe(200);
  });
});

describe('what is removed and added again', () => {
  it.each(['a role of a project', 'a member'])('%s: no number from before fits', async (name) => {
    const { userId } = await aServiceUser(world);
    const roles = `projects/${await aProjectId()}/roles`;
    const [list, path, add, body] =
      name === 'a member'
        ? [
            'orgs/me/members',
            `orgs/me/members/${userId}`,
            { userId, roles: ['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER'] },
            { roles: ['ORG_USER_MANAGER'] },
          ]
        : [
            roles,
            `${roles}/clerk`,
            { roleKey: 'clerk', displayName: 'Clerk' },
            { displayName: 'Office clerk' },
          ];
    const sequenceOf = (answer: { json: <Body>() => Body }) =>
      BigInt(answer.json<{ details: { sequence: string } }>().details.sequence);
    const put = (sequence: bigint) =>
      owner.call('PUT', path, body, { headers: { 'if-match': `"${sequence}"` } });

    const before = sequenceOf(await owner.call('POST', list, add));
    expect((await owner.call('DELETE', path)).statusCode).toBe(200);
    const again = sequenceOf(await owner.call('POST', list, add));
    for (const number of [before - 1n, before, before + 1n, 1n, 2n])
      expect((await put(number)).statusCode).toBe(412);
    expect(sequenceOf(await put(again))).toBe(again + 1n);
  });
});

describe('If-Match', () => {
  const aProfile = async () => `users/${(await aUser(world)).userId}/profile`;
  const put = async (path: string, tag: string, more: object = {}) =>
    await owner.call(
      'PUT',
      path,
      { firstName: 'Ada', lastName: 'King' },
      { headers: { 'if-match': tag, ...more } },
    );

  it('may name several, or any', async () => {
    const path = await aProfile();
    expect((await put(path, '"7", "1"')).statusCode).toBe(200);
    expect((await put(path, '*')).statusCode).toBe(200);
  });

  it.each(['1', 'W/"1"', '"x"', '"1" "2"', ''])('is refused as %j', async (tag) => {
    const response = await put(await aProfile(), tag);
    expect(response.statusCode).toBe(400);
  });

  it('is in the document where it is taken, with its refusal', async () => {
    const document = (await api.app.inject('/openapi.json')).json<OpenApiDocument>();
    // a call whose body says what it expects to find has a 412 of its own
    const taking = documentedCalls(document).filter(({ operation }) => {
      const refused = JSON.stringify(operation.responses['412']);
      return refused === JSON.stringify({ $ref: '#/components/responses/E412' });
    });
    expect(taking.map(({ method, path }) => `${method.toUpperCase()} ${path}`)).toEqual(
      expect.arrayContaining(['PUT /admin/v1/keys/schedule', 'PUT /admin/v1/settings/oidc']),
    );
    for (const { operation } of taking)
      expect(operation.parameters).toContainEqual({ $ref: '#/components/parameters/ifMatch' });
  });

  it('is refused where it would be ignored', async () => {
    const { userId } = await aUser(world);
    const response = await owner.call(
      'POST',
      `users/${userId}/_lock`,
      {},
      { headers: { 'if-match': '"1"' } },
    );
    expect(response.json()).toEqual(errorBody(3, 'this call takes no If-Match'));
  });

  it('"0" only adds: of two who set the same metadata at the same time, the second replaces nothing', async () => {
    const path = `users/${(await aUser(world)).userId}/metadata/desk`;
    const set = async (value: string, headers: Readonly<Record<string, string>> = { 'if-match': '"0"' }) =>
      await owner.call('PUT', path, { value }, { headers });
    const values = ['b25l', 'dHdv'];
    const answers = await Promise.all(values.map(async (value) => await set(value)));
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 412]);
    const first = values[answers.findIndex(({ statusCode }) => statusCode === 200)];
    const kept = async () =>
      (await owner.call('GET', path)).json<{ metadata: { value: string } }>().metadata.value;
    expect(await kept()).toBe(first);
    expect((await set('dGhyZWU=')).statusCode).toBe(412);
    expect(await kept()).toBe(first);
    // without it, it is set whatever is there
    expect((await set('dGhyZWU=', {})).statusCode).toBe(200);
    expect(await kept()).toBe('dGhyZWU=');
  });

  it('belongs to what an Idempotency-Key stands for', async () => {
    const path = await aProfile();
    const key = { 'idempotency-key': `key-${Math.random()}` };
    expect((await put(path, '"1"', key)).statusCode).toBe(200);
    // the same call again has the first answer, although the thing has moved on
    expect((await put(path, '"1"', key)).statusCode).toBe(200);
    expect((await put(path, '"2"', key)).statusCode).toBe(422);
  });
});
