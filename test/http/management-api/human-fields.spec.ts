import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anOwnApplication } from '../../support/applications.js';
import { obtainTokens, userinfo } from '../../support/browser-flow.js';
import { call, type Method } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { HASH, importHuman, record } from '../../support/human-records.js';
import { ImportEngine } from '../../support/import-engine.js';
import { newestCode } from '../../support/mail-code.js';
import { aServiceUser } from '../../support/service-users.js';
import { aPhoneUser, NO_SMS_LIMITS, resend, TWILIO } from '../../support/sms.js';
import { stopTimeForTest } from '../../support/stopped-time.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const environment = { ...TWILIO, ...NO_SMS_LIMITS };
const { api, world } = useWorld(environment);
const replica = useReplica(api, environment);
const client = given(() => anOwnApplication(world));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
beforeAll(async () => {
  await api.advance(6);
});
const engine = given(() => new ImportEngine(api));

const AUDIENCE = 'openid profile address urn:zitadel:iam:org:project:id:zitadel:aud';

/** Every claim of OpenID Connect Core §5.1 that is a matter of the profile, in the names of the APIs. */
const PROFILE = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  displayName: 'The Countess',
  middleName: 'King',
  nickName: 'Ada',
  preferredLanguage: 'en-GB',
  gender: 'GENDER_FEMALE',
  profile: 'https://ada.test/',
  picture: 'https://ada.test/ada.png',
  website: 'http://analytical.test',
  birthdate: '1815-12-10',
  zoneinfo: 'Europe/London',
  address: {
    formatted: 'St James’s Square 12\nLondon',
    streetAddress: 'St James’s Square 12',
    locality: 'London',
    region: 'Greater London',
    postalCode: 'SW1Y 4LE',
    country: 'UK',
  },
};

const management = (userId: string, pat = root.pat, at = api) => {
  return async (method: Method, path = '', body?: unknown) =>
    await call(at, method, `users/${userId}${path}`, {
      pat,
      body,
      headers: { 'x-org-id': await orgOf(userId) },
    });
};

async function orgOf(userId: string): Promise<string> {
  const { rows } = await api.sql.query<{ org_id: string }>('SELECT org_id FROM users WHERE id = $1', [
    userId,
  ]);
  return rows[0]?.org_id ?? '';
}

async function own(user: TestUser) {
  const { access_token: pat } = await obtainTokens(api, client, user, { scope: AUDIENCE });
  const me = (method: Method, path = '', body?: unknown) =>
    call(api, method, `/auth/v1/users/me${path}`, { pat, body });
  return { pat, me };
}

interface Read {
  readonly user: {
    readonly human: { readonly profile: object; readonly email: object; readonly phone: object };
  };
}

/** A file of one record, once workers are through with it. */
async function importedInto(orgId: string, one: unknown): Promise<object> {
  const headers = { authorization: `Bearer ${root.pat}`, 'x-org-id': orgId };
  const uploaded = await api.app.inject({
    method: 'POST',
    url: '/management/v1/imports',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    payload: `${JSON.stringify(one)}\n`,
  });
  await engine.drain();
  const { id } = uploaded.json<{ id: string }>();
  return (await api.app.inject({ url: `/management/v1/imports/${id}`, headers })).json<object>();
}

async function humanOf(userId: string) {
  return (await management(userId)('GET')).json<Read>().user.human;
}

describe('a human that was read', () => {
  it('is written back by a manager as it was read', async () => {
    const user = await aUser(world, {
      email: { address: 'as-read@mail.test', verified: true },
      phone: { number: '+41791230001', verified: true },
    });
    const users = management(user.userId);
    expect((await users('PUT', '/profile', PROFILE)).statusCode).toBe(200);
    await users('PUT', '/email', { email: 'as-read-later@mail.test' });
    const before = await humanOf(user.userId);
    expect(before).toEqual({
      profile: PROFILE,
      email: {
        email: 'as-read@mail.test',
        isEmailVerified: true,
        pendingEmail: 'as-read-later@mail.test',
      },
      phone: { phone: '+41791230001', isPhoneVerified: true },
    });
    for (const part of ['profile', 'email', 'phone'] as const) {
      const read = (await users('GET', `/${part}`)).json<Record<string, unknown>>()[part];
      expect(read).toEqual(before[part]);
      expect((await users('PUT', `/${part}`, read)).json()).toMatchObject({ details: {} });
    }
    expect(await humanOf(user.userId)).toEqual(before);
    const { rows } = await api.sql.query<{ fields: string[] }>(
      `SELECT fields FROM events WHERE aggregate_id = $1 AND type = 'user.human.profile.changed' ORDER BY position`,
      [user.userId],
    );
    expect(rows[1]?.fields).toEqual([]);
  });

  it('is written back by its owner as it was read, with the code that waits', async () => {
    const user = await aUser(world, { phone: { number: '+41791230002', verified: true } });
    const { me } = await own(user);
    await me('PUT', '/profile', PROFILE);
    await me('PUT', '/email', { email: 'owner-later@mail.test' });
    const code = await newestCode(api, user.userId);
    const before = await humanOf(user.userId);
    expect(before.profile).toEqual(PROFILE);
    for (const part of ['profile', 'email', 'phone'] as const) {
      const read = (await me('GET', `/${part}`)).json<Record<string, unknown>>()[part];
      expect(read).toEqual(before[part]);
      expect((await me('PUT', `/${part}`, read)).statusCode).toBe(200);
    }
    expect(await humanOf(user.userId)).toEqual(before);
    expect((await me('POST', '/email/_verify', { code })).statusCode).toBe(200);
    expect(await humanOf(user.userId)).toMatchObject({
      email: { email: 'owner-later@mail.test', isEmailVerified: true },
    });
  });

  it('has the longest name that first and last name make, which is no name to be given', async () => {
    const firstName = 'A'.repeat(200);
    const user = await aUser(world);
    const users = management(user.userId);
    expect((await users('PUT', '/profile', { firstName, lastName: firstName })).statusCode).toBe(200);
    const read = (await users('GET', '/profile')).json<{ profile: { displayName: string } }>().profile;
    expect(read.displayName).toHaveLength(401);
    expect((await importHuman(api, root.pat, record({ profile: read }))).statusCode).toBe(200);
    expect((await users('PUT', '/profile', read)).statusCode).toBe(200);
    expect((await users('PUT', '/profile', { ...read, displayName: 'x'.repeat(201) })).statusCode).toBe(400);
  });

  it('is exported in the same names, and comes in elsewhere as the same', async () => {
    const other = await anOrganization(api);
    const user = await aUser(world, {
      profile: { preferredLanguage: 'de' },
      phone: { number: '+41791230003', verified: true },
    });
    await management(user.userId)('PUT', '/profile', PROFILE);
    await management(user.userId)('PUT', '/email', { email: 'export-later@mail.test' });
    const before = await humanOf(user.userId);
    const exported = await root.call('POST', '/admin/v1/export', { orgIds: [world.orgId] });
    const [org] = exported.json<{
      orgs: { humanUsers: { userId: string; user: Record<string, unknown>; state: string }[] }[];
    }>().orgs;
    const found = org?.humanUsers.find(({ userId }) => userId === user.userId);
    expect(found?.user).toEqual({ userName: user.userName, ...before });

    const record = { ...found?.user, state: found?.state, hashedPassword: { value: HASH } };
    expect(await importedInto(other.orgId, record)).toMatchObject({ counts: { created: 1, failed: 0 } });
    const { rows } = await api.sql.query<{ id: string }>(
      'SELECT id FROM users WHERE org_id = $1 AND user_name = $2',
      [other.orgId, user.userName],
    );
    expect(await humanOf(rows[0]?.id ?? '')).toEqual(before);
  });
});

describe('each claim', () => {
  const CLAIMS: readonly (readonly [field: string, value: unknown, claim: string, told: unknown])[] = [
    ['middleName', 'Anne', 'middle_name', 'Anne'],
    ['nickName', 'Annie', 'nickname', 'Annie'],
    ['preferredLanguage', 'fr', 'locale', 'fr'],
    ['gender', 'GENDER_DIVERSE', 'gender', 'diverse'],
    ['profile', 'https://new.test/', 'profile', 'https://new.test/'],
    ['picture', 'https://new.test/p', 'picture', 'https://new.test/p'],
    ['website', 'https://new.test/w', 'website', 'https://new.test/w'],
    ['birthdate', '1816', 'birthdate', '1816'],
    ['zoneinfo', 'Europe/Paris', 'zoneinfo', 'Europe/Paris'],
    [
      'address',
      { streetAddress: 'Rue 1', postalCode: '75001' },
      'address',
      { street_address: 'Rue 1', postal_code: '75001' },
    ],
  ];

  it.each(CLAIMS)(
    '%s is changed and removed by its owner and by a manager, and userinfo says so',
    async (field, value, claim, told) => {
      const user = await aUser(world);
      const { me, pat } = await own(user);
      const claims = async () => (await userinfo(api, pat)).json<Record<string, unknown>>();
      const names = { firstName: 'Ada', lastName: 'Lovelace' };
      for (const write of [me, management(user.userId)]) {
        expect((await write('PUT', '/profile', { ...names, [field]: value })).statusCode).toBe(200);
        expect((await claims())[claim]).toEqual(told);
        const empty = field === 'address' ? {} : field === 'gender' ? 'GENDER_UNSPECIFIED' : '';
        expect((await write('PUT', '/profile', { ...names, [field]: empty })).statusCode).toBe(200);
        expect(await claims()).not.toHaveProperty(claim);
      }
    },
  );

  it('beyond protocol §1.1 stays when a client of older APIs writes what it knows', async () => {
    const user = await aUser(world);
    const users = management(user.userId);
    await users('PUT', '/profile', PROFILE);
    await users('PUT', '/profile', { firstName: 'Grace', lastName: 'Hopper' });
    const { displayName: _, nickName: _n, preferredLanguage: _l, gender: _g, ...kept } = PROFILE;
    expect((await humanOf(user.userId)).profile).toEqual({
      ...kept,
      firstName: 'Grace',
      lastName: 'Hopper',
      displayName: 'Grace Hopper',
    });
  });

  it.each([
    ['picture', 'javascript:alert(1)'],
    ['website', 'data:text/html,x'],
    ['profile', `https://a.test/${'x'.repeat(2040)}`],
    ['birthdate', '31.1.1990'],
    ['birthdate', '1990-02-30'],
    ['birthdate', '1990-13-01'],
    ['zoneinfo', 'a b'],
    ['middleName', 'a\u202Eb'],
    ['middleName', 'x'.repeat(201)],
    ['address', { locality: 'a\nb' }],
    ['address', { streetAddress: 'a\u0000b' }],
    ['address', { formatted: 'x'.repeat(501) }],
    ['address', { street: 'Road 1' }],
  ])('S218 %s is refused alike from a file, a manager and its owner (%#)', async (field, value) => {
    const user = await aUser(world);
    const { me } = await own(user);
    const body = { firstName: 'A', lastName: 'B', [field]: value };
    const refused = [
      await me('PUT', '/profile', body),
      await management(user.userId)('PUT', '/profile', body),
    ];
    for (const response of refused) {
      expect(response.statusCode).toBe(400);
      expect(response.json<{ message: string }>().message).toContain(field);
    }
    expect(await importedInto(world.orgId, record({ profile: body }))).toMatchObject({
      counts: { created: 0, failed: 1 },
    });
    expect(await humanOf(user.userId)).toMatchObject({ profile: { displayName: 'Ada Lovelace' } });
  });

  it('S218 nobody marks their own address or number as verified', async () => {
    const user = await aUser(world, { phone: { number: '+41791230004', verified: false } });
    const { me } = await own(user);
    const [email, phone] = ['vouched@mail.test', '+41791230004'];
    for (const [path, body] of [
      ['/email', { email, isEmailVerified: true }],
      ['/email', { email: `${user.userName}@mail.test`, isEmailVerified: true, pendingEmail: email }],
      ['/phone', { phone, isPhoneVerified: true }],
      ['/phone', { phone: '+41791230005', isPhoneVerified: true }],
    ] as const) {
      const response = await me('PUT', path, body);
      expect(response.json()).toMatchObject({
        code: 3,
        message: expect.stringContaining('cannot be changed') as string,
      });
    }
    expect(await humanOf(user.userId)).toMatchObject({
      email: { email: `${user.userName}@mail.test`, isEmailVerified: true },
      phone: { phone },
    });
  });
});

describe('the single import', () => {
  it('takes the fields of protocol §1.1 and no others', async () => {
    const { middleName: _, ...rest } = PROFILE;
    for (const field of Object.keys(PROFILE)) {
      const known = ['firstName', 'lastName', 'nickName', 'displayName', 'preferredLanguage', 'gender'];
      const profile = { firstName: 'A', lastName: 'B', [field]: PROFILE[field as keyof typeof rest] };
      const response = await importHuman(api, root.pat, record({ profile }));
      expect([field, response.statusCode]).toEqual([field, known.includes(field) ? 200 : 400]);
    }
  });
});

describe('the keys of applications and of service users', () => {
  it('answer the same members', async () => {
    const machine = await aServiceUser(world);
    const { id: projectId } = (await root.call('POST', 'projects', { name: 'Keys' })).json<{ id: string }>();
    const { appId } = (
      await root.call('POST', `projects/${projectId}/apps/api`, {
        name: 'Keys',
        authMethodType: 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
      })
    ).json<{ appId: string }>();
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    for (const body of [{}, { publicKey: pem }, { publicKey: Buffer.from(pem).toString('base64') }]) {
      const members = [];
      for (const keys of [`users/${machine.userId}/keys`, `projects/${projectId}/apps/${appId}/keys`]) {
        const added = await root.call('POST', keys, body);
        if (added.statusCode !== 200) {
          members.push(added.statusCode);
          continue;
        }
        const { id, keyId } = added.json<{ id: string; keyId: string }>();
        expect(id).toBe(keyId);
        const read = await root.call('GET', `${keys}/${keyId}`);
        const { key } = read.json<{ key: { id: string; keyId: string } }>();
        expect([key.id, key.keyId]).toEqual([id, id]);
        members.push([Object.keys(added.json<object>()).sort(), Object.keys(key).sort()]);
      }
      expect(members[0]).toEqual(members[1]);
    }
  });
});

describe('the details after a resend', () => {
  interface Answer {
    readonly details: { readonly sequence: string; readonly changeDate: string };
  }

  async function eventsOf(userId: string) {
    const { rows } = await api.sql.query<{ sequence: string; type: string; created_at: Date }>(
      `SELECT sequence::text, type, created_at FROM events
       WHERE aggregate_type = 'user' AND aggregate_id = $1 ORDER BY position`,
      [userId],
    );
    return rows;
  }

  it('are those of the event that was added: phone and e-mail, owner and manager', async () => {
    const user = await aPhoneUser(world, '+41791230006');
    await api.sql.query('UPDATE user_humans SET email_verified = false WHERE user_id = $1', [user.userId]);
    await stopTimeForTest(api.sql);
    const me = (path: string) => call(api, 'POST', `/auth/v1/users/me${path}`, { pat: user.pat, body: {} });
    const told: Answer[] = [];
    told.push((await resend(api, user.pat)).json<Answer>());
    await api.advance(61);
    told.push((await me('/email/_resend_verification')).json<Answer>());
    await api.advance(61);
    told.push((await management(user.userId)('POST', '/phone/_resend_verification', {})).json<Answer>());
    await api.advance(61);
    told.push((await management(user.userId)('POST', '/email/_resend_verification', {})).json<Answer>());
    const events = await eventsOf(user.userId);
    expect(events.map(({ type }) => type)).toEqual([
      'user.human.phone.code.added',
      'user.human.email.code.added',
      'user.human.phone.code.added',
      'user.human.email.code.added',
    ]);
    expect(told.map(({ details }) => details.sequence)).toEqual(['2', '3', '4', '5']);
    expect(events.map(({ sequence }) => sequence)).toEqual(['2', '3', '4', '5']);
    // a minute lies between them, and nothing between the two statements of one transaction
    const changedAt = told.map(({ details }) => Date.parse(details.changeDate));
    expect(changedAt).toEqual(events.map(({ created_at: at }) => at.getTime()));
  });

  it('S219 differ for two at once, on two replicas', async () => {
    const user = await aPhoneUser(world, '+41791230007');
    await api.sql.query('UPDATE user_humans SET email_verified = false WHERE user_id = $1', [user.userId]);
    const answers = await Promise.all([
      resend(api, user.pat),
      resend(replica, user.pat),
      management(user.userId)('POST', '/phone/_resend_verification', {}),
      management(user.userId, root.pat, replica)('POST', '/email/_resend_verification', {}),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    const told = answers.map((answer) => answer.json<Answer>().details.sequence).toSorted();
    expect(told).toEqual(['2', '3', '4', '5']);
    expect((await eventsOf(user.userId)).map(({ sequence }) => sequence).toSorted()).toEqual(told);
  });
});
