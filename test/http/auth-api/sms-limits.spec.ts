import { describe, expect, it } from 'vitest';
import { SmsPrefixes } from '../../../src/domain/notifications/abuse/sms-prefixes.js';
import { Metrics } from '../../../src/ops/metrics.js';
import { aReplica, startTestApi, useReplica, type TestApi } from '../../support/api.js';
import { anApplication, anOwnApplication } from '../../support/applications.js';
import { obtainTokens } from '../../support/browser-flow.js';
import { call, errorBody } from '../../support/calls.js';
import { newestCode } from '../../support/mail-code.js';
import { aServiceUser } from '../../support/service-users.js';
import {
  aPhoneUser,
  NO_SMS_LIMITS,
  resend,
  smsQueued,
  statuses,
  TWILIO,
  type PhoneUser,
} from '../../support/sms.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

/** With the limits as they are by default. */
const { api, world } = useWorld(TWILIO);

let block = 100;
/** Numbers of one prefix that no other test uses. */
function adjacent(count: number): string[] {
  const prefix = `+4179${(block += 1)}`;
  return Array.from({ length: count }, (_, index) => `${prefix}${1000 + index}`);
}
/** Each of a prefix of its own. */
function scattered(count: number): string[] {
  return Array.from({ length: count }, () => adjacent(1)[0] ?? '');
}

async function usersWith(numbers: readonly string[], where = world): Promise<PhoneUser[]> {
  const users: PhoneUser[] = [];
  for (const number of numbers) users.push(await aPhoneUser(where, number));
  return users;
}

async function phoneOf(user: PhoneUser | undefined): Promise<{ phone: string }> {
  const { rows } = await api.sql.query<{ phone: string }>(
    'SELECT phone FROM user_humans WHERE user_id = $1',
    [user?.userId],
  );
  return rows[0] ?? { phone: '' };
}

const limitsReached = async (rule: string) =>
  (
    await api.sql.query<{ data: object }>(
      `SELECT data FROM events WHERE type = 'sms.limit.reached' AND aggregate_id = $1 ORDER BY position`,
      [rule],
    )
  ).rows.map(({ data }) => data);

describe('each limit lets exactly its number through, of many at once over two replicas', () => {
  const oneUser = async () => {
    const [user] = await usersWith(adjacent(1));
    return Array.from({ length: 24 }, () => user as PhoneUser);
  };
  it.each([
    ['cooldown', { SMS_COOLDOWN: '60s' }, 1, oneUser],
    ['user', { SMS_CAP_USER: '5/1h,9/1d' }, 5, oneUser],
    ['number', { SMS_CAP_NUMBER: '5/1h' }, 5, () => usersWith(Array<string>(24).fill(adjacent(1)[0] ?? ''))],
    ['prefix', { SMS_CAP_PREFIX: '7/1h' }, 7, () => usersWith(adjacent(24))],
    ['address', { SMS_CAP_ADDRESS: '6/1h' }, 6, () => usersWith(scattered(24))],
    [
      'organization',
      // a fifth is kept for second factors
      { SMS_CAP_ORGANIZATION: '10/1h' },
      8,
      async () => usersWith(scattered(24), await anOrganization(api)),
    ],
    [
      'spend',
      { SMS_SPEND_CAP: '1.25', SMS_COSTS: 'default=5,41=0.3' },
      3,
      async () => usersWith(scattered(24), await anOrganization(api)),
    ],
  ] as const)('%s', async (_, limit, most, make) => {
    const users = await make();
    const environment = { ...TWILIO, ...NO_SMS_LIMITS, ...limit };
    const replicas = [await startTestApi(environment, api), await startTestApi(environment, api)];
    try {
      const answers = await Promise.all(
        users.map(({ pat }, index) =>
          resend(replicas[index % 2] as TestApi, pat, { from: `2001:db8:7:7::${index + 1}` }),
        ),
      );
      expect(statuses(answers)).toEqual({ 200: most, 429: users.length - most });
      expect(await smsQueued(api, users)).toBe(most);
      const refused = answers.find(({ statusCode }) => statusCode === 429);
      expect(refused?.json()).toMatchObject({ code: 8 });
      const wait = Number(refused?.headers['retry-after']);
      expect(wait).toBeGreaterThan(0);
      // the longest window, and a twenty-fourth
      expect(wait).toBeLessThanOrEqual(90_000);
    } finally {
      for (const replica of replicas) await replica.close();
    }
  });
});

it('S136 refuses the sixth in an hour, although each waits for the cooldown, and the tenth in a day', async () => {
  const [user] = await usersWith(adjacent(1));
  const { pat } = user as PhoneUser;
  const first: number[] = [];
  for (let count = 0; count < 6; count++) {
    first.push((await resend(api, pat)).statusCode);
    await api.advance(61);
  }
  expect(first).toEqual([200, 200, 200, 200, 200, 429]);
  const sixth = await resend(api, pat);
  expect(sixth.json()).toEqual(errorBody(8, 'no more than 5 SMS in 1h to one user', 'SMS-Ca4ps'));
  // as long as what is left of the hour
  expect(Number(sixth.headers['retry-after'])).toBeGreaterThan(3_600 - 7 * 61);
  let day = 5;
  for (let count = 0; count < 32; count++) {
    await api.advance(2_880);
    if ((await resend(api, pat)).statusCode === 200) day += 1;
    if (count === 20) expect(day).toBe(9);
  }
  expect(await smsQueued(api, user && [user])).toBe(day);
  // the next day has begun meanwhile
  expect(day).toBeGreaterThan(9);
});

it('S137 fifty adjacent numbers, one after the other, each with a resend: the limits hold, and operators are alerted', async () => {
  const quick = await startTestApi({ ...TWILIO, SMS_COOLDOWN: '0s' }, api);
  try {
    const client = await anOwnApplication(world);
    const user = await aUser(world);
    const { access_token: pat } = await obtainTokens(quick, client, user, {
      scope: 'openid urn:zitadel:iam:org:project:id:zitadel:aud',
    });
    for (const phone of adjacent(50)) {
      const put = await call(quick, 'PUT', '/auth/v1/users/me/phone', { pat, body: { phone } });
      expect(put.statusCode).toBe(200);
      await resend(quick, pat);
    }
    expect(await smsQueued(api, [user])).toBe(5);
    expect(await limitsReached('user')).toContainEqual(
      expect.objectContaining({ rule: 'user', most: 5, withinSeconds: 3_600, origin: 'self' }),
    );
  } finally {
    await quick.close();
  }
});

describe('S138 many accounts', () => {
  it('with one number get what one number gets', async () => {
    const users = await usersWith(Array<string>(100).fill(adjacent(1)[0] ?? ''));
    const answers = await Promise.all(
      users.map(({ pat }, index) => resend(api, pat, { from: `198.51.100.${index + 1}` })),
    );
    expect(statuses(answers)).toEqual({ 200: 5, 429: 95 });
  });

  it('with numbers of one prefix get what a prefix gets', async () => {
    const users = await usersWith(adjacent(100));
    const answers = await Promise.all(
      users.map(({ pat }, index) => resend(api, pat, { from: `203.0.113.${index + 1}` })),
    );
    expect(statuses(answers)).toEqual({ 200: 30, 429: 70 });
    expect(await limitsReached('prefix')).toContainEqual(
      expect.objectContaining({ rule: 'prefix', most: 30 }),
    );
  });

  it('from one /64, or one IPv4 address, get what an address gets', async () => {
    const users = await usersWith(scattered(60));
    const from6 = await Promise.all(
      users.slice(0, 30).map(({ pat }, index) => resend(api, pat, { from: `2001:db8:1:2:${index + 1}::1` })),
    );
    expect(statuses(from6)).toEqual({ 200: 20, 429: 10 });
    const from4 = await Promise.all(
      users.slice(30).map(({ pat }) => resend(api, pat, { from: '192.0.2.77' })),
    );
    expect(statuses(from4)).toEqual({ 200: 20, 429: 10 });
  });
});

it('tells operators in the metrics how many were queued, refused and by what, and blocked', async () => {
  const replica = await startTestApi(
    { ...TWILIO, ...NO_SMS_LIMITS, SMS_COOLDOWN: '60s', SMS_CAP_PREFIX: '2/1h', SMS_COUNTRIES: 'CH' },
    api,
  );
  try {
    const [one, two, three] = await usersWith(adjacent(3));
    const [british] = await usersWith(['+442079460958']);
    const [unlucky] = await usersWith(adjacent(1));
    const { phone } = await phoneOf(unlucky);
    for (const user of [one, one, two, three, british]) await resend(replica, user?.pat);
    // said again, it is blocked no more than it was
    for (let times = 0; times < 2; times += 1) await replica.app.get(SmsPrefixes).flag(phone, 'twilio_60410');
    await resend(replica, unlucky?.pat);
    const printed = (await replica.app.get(Metrics).render())
      .split('\n')
      .filter((line) => line.startsWith('identity_sms_'));
    expect(printed.toSorted()).toEqual([
      'identity_sms_enqueued_total{origin="self"} 2',
      'identity_sms_prefix_blocks_total 1',
      'identity_sms_refused_total{rule="blocked",origin="self"} 1',
      'identity_sms_refused_total{rule="cooldown",origin="self"} 1',
      'identity_sms_refused_total{rule="country",origin="self"} 1',
      'identity_sms_refused_total{rule="prefix",origin="self"} 1',
    ]);
  } finally {
    await replica.close();
  }
});

describe('S139 a prefix whose codes hardly ever come back', () => {
  const careless = { ...TWILIO, ...NO_SMS_LIMITS, SMS_CONVERSION_SENDS: '20' };
  const lax = useReplica(api, careless);

  const blocks = async (prefix: string) =>
    (
      await api.sql.query<{ data: object; org_id: null }>(
        `SELECT org_id, data FROM events WHERE type = 'sms.prefix.blocked' AND aggregate_id = $1`,
        [prefix],
      )
    ).rows;

  it('is blocked for a while, and an administrator can see it', async () => {
    const numbers = adjacent(21);
    const prefix = numbers[0]?.slice(0, -4) ?? '';
    const users = await usersWith(numbers);
    for (const { pat } of users.slice(0, 20)) expect((await resend(lax, pat)).statusCode).toBe(200);
    // they may still type their codes
    expect((await resend(lax, users[20]?.pat)).statusCode).toBe(200);
    await api.advance(301);
    const refused = await Promise.all(users.map(({ pat }) => resend(lax, pat)));
    expect(statuses(refused)).toEqual({ 429: 21 });
    expect(refused[0]?.json()).toMatchObject({
      message: 'numbers like this one get no SMS for now (SMS-Bl3ck)',
    });
    expect(await smsQueued(api, users)).toBe(21);
    expect(await blocks(prefix)).toEqual([
      { org_id: null, data: { reason: 'low_conversion', blockSeconds: 21_600, sent: 21, verified: 0 } },
    ]);
    const [elsewhere] = await usersWith(adjacent(1));
    expect((await resend(lax, elsewhere?.pat)).statusCode).toBe(200);
    await api.advance(21_601);
    expect((await resend(lax, users[0]?.pat)).statusCode).toBe(200);
  });

  it('is left alone where enough of them answer', async () => {
    const users = await usersWith(adjacent(21));
    for (const [index, user] of users.slice(0, 20).entries()) {
      await resend(lax, user.pat);
      if (index < 2) await verifyByLink(user);
    }
    await api.advance(301);
    expect((await resend(lax, users[20]?.pat)).statusCode).toBe(200);
  });

  it('is blocked at once on the word of a provider', async () => {
    const [user] = await usersWith(adjacent(1));
    const { phone } = await phoneOf(user);
    await api.app.get(SmsPrefixes).flag(phone, 'twilio_60410');
    await api.app.get(SmsPrefixes).flag(phone, 'twilio_60410');
    expect((await resend(lax, user?.pat)).statusCode).toBe(429);
    expect(await blocks(phone.slice(0, -4))).toEqual([
      { org_id: null, data: { reason: 'twilio_60410', blockSeconds: 21_600 } },
    ]);
  });

  async function verifyByLink(user: PhoneUser): Promise<void> {
    const client = await anOwnApplication(world);
    const { access_token: pat } = await obtainTokens(lax, client, user, {
      scope: 'openid urn:zitadel:iam:org:project:id:zitadel:aud',
    });
    const body = { code: await newestCode(api, user.userId) };
    expect((await call(lax, 'POST', '/auth/v1/users/me/phone/_verify', { pat, body })).statusCode).toBe(200);
  }
});

it('S140 an organization that reached its daily limit sends no SMS, and its users still sign in', async () => {
  const poor = await startTestApi(
    { ...TWILIO, ...NO_SMS_LIMITS, SMS_SPEND_CAP: '0.25', SMS_COSTS: 'default=0.1' },
    api,
  );
  try {
    const [here, there] = [await anOrganization(api), await anOrganization(api)];
    const users = await usersWith(scattered(3), here);
    const [foreign] = await usersWith(scattered(1), there);
    expect((await resend(poor, users[0]?.pat)).statusCode).toBe(200);
    expect((await resend(poor, users[1]?.pat)).statusCode).toBe(200);
    const third = await resend(poor, users[2]?.pat);
    expect([third.statusCode, third.json()]).toEqual([
      429,
      errorBody(8, 'the daily SMS limit of this organization is reached', 'SMS-Sp9end'),
    ]);
    expect(await limitsReached('spend')).toContainEqual(expect.objectContaining({ most: 200_000 }));
    expect((await resend(poor, foreign?.pat)).statusCode).toBe(200);
    const signedIn = await obtainTokens(poor, await anApplication(here), users[2] as PhoneUser, {
      scope: 'openid',
    });
    expect(signedIn.access_token).toBeTruthy();
    const wait = Number(third.headers['retry-after']);
    expect(wait).toBeGreaterThan(86_400 - 60);
    await api.advance(wait);
    expect((await resend(poor, users[2]?.pat)).statusCode).toBe(200);
  } finally {
    await poor.close();
  }
});

it('sends to no country that is not on the list, and asks nobody to wait for it', async () => {
  const everywhere = await startTestApi({ ...TWILIO, SMS_COUNTRIES: '*', SMS_NUMBER_TYPES: '*' }, api);
  const nowhere = await startTestApi({ ...TWILIO, SMS_COUNTRIES: 'none' }, api);
  try {
    for (const number of ['+263771234567', '+8821612345678', '+18765551234']) {
      const [user] = await usersWith([number]);
      const refused = await resend(api, user?.pat);
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([400, undefined]);
      expect(refused.json()).toEqual(
        errorBody(9, 'no SMS are sent to the country of this number', 'SMS-Co5xt'),
      );
      expect(await smsQueued(api, user && [user])).toBe(0);
      expect((await resend(everywhere, user?.pat)).statusCode).toBe(200);
    }
    for (const number of ['+12025550123', '+447911123456', '+4915112345678']) {
      const [user] = await usersWith([number]);
      expect((await resend(nowhere, user?.pat)).statusCode).toBe(400);
      expect((await resend(api, user?.pat, { from: '192.0.2.99' })).statusCode).toBe(200);
    }
  } finally {
    await everywhere.close();
    await nowhere.close();
  }
});

describe('S190 numbers that pay out for received messages', () => {
  const refused = errorBody(9, 'no SMS are sent to numbers of this kind', 'SMS-Nt4pe');

  it.each([
    ['premium, United States', '+19002345678'],
    ['premium, Switzerland', '+41900123456'],
    ['personal, United Kingdom', '+447012345678'],
    ['premium, France', '+33891234567'],
    ['shared cost, Switzerland', '+41840123456'],
    ['pager, United Kingdom', '+447640123456'],
    ['voicemail, Switzerland', '+41860791234567'],
    ['a range nobody listed, Switzerland', '+41741234567'],
  ])('%s: the number is stored and no SMS is queued, however often its owner asks', async (_, phone) => {
    const user = await aUser(world);
    const { access_token: pat } = await obtainTokens(api, await anOwnApplication(world), user, {
      scope: 'openid urn:zitadel:iam:org:project:id:zitadel:aud',
    });
    expect((await call(api, 'PUT', '/auth/v1/users/me/phone', { pat, body: { phone } })).statusCode).toBe(
      200,
    );
    expect(await phoneOf({ ...user, pat: pat ?? '' })).toEqual({ phone });
    for (let times = 0; times < 2; times += 1) {
      const answer = await resend(api, pat);
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([400, undefined]);
      expect(answer.json()).toEqual(refused);
    }
    expect(await smsQueued(api, [user])).toBe(0);
  });

  it('get none where the provider makes the code either', async () => {
    const verifying = await aReplica(api, { ...TWILIO, TWILIO_VERIFY_SERVICE_SID: 'VAmarker' });
    const [user] = await usersWith(['+41900123457']);
    expect((await resend(verifying, user?.pat)).json()).toEqual(refused);
    expect(await smsQueued(api, user && [user])).toBe(0);
  });

  it('a manager has no more sent to them, but to a range that nobody listed', async () => {
    const { pat } = await aServiceUser(world, 'ORG_OWNER');
    const again = (userId: string | undefined) =>
      call(api, 'POST', `/management/v1/users/${userId}/phone/_resend_verification`, { pat, body: {} });
    const [premium, unlisted] = await usersWith(['+41900123458', '+41741234568']);
    expect((await again(premium?.userId)).json()).toEqual(refused);
    expect((await again(unlisted?.userId)).statusCode).toBe(200);
    expect(await smsQueued(api, premium && [premium])).toBe(0);
    expect(await smsQueued(api, unlisted && [unlisted])).toBe(1);
  });

  it('get them where an operator says so', async () => {
    const lax = await aReplica(api, { ...TWILIO, SMS_NUMBER_TYPES: 'mobile,fixed_line,unknown' });
    const [landline, unlisted, premium] = await usersWith(['+442079460958', '+41741234569', '+41900123459']);
    expect((await resend(lax, landline?.pat)).statusCode).toBe(200);
    expect((await resend(lax, unlisted?.pat)).statusCode).toBe(200);
    expect((await resend(lax, premium?.pat)).json()).toEqual(refused);
  });
});
