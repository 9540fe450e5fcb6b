import { beforeAll, describe, expect, it } from 'vitest';
import { ChannelError } from '../../../src/domain/notifications/channels.js';
import { ProviderChannels } from '../../../src/domain/notifications/providers/provider-channels.js';
import type { ProviderId } from '../../../src/domain/shared/ids.js';
import { useReplica, type TestApi } from '../../support/api.js';
import { anOwnApplication } from '../../support/applications.js';
import {
  aSignedInBrowser,
  hiddenFields,
  obtainTokens,
  refreshTokens,
  TestBrowser,
} from '../../support/browser-flow.js';
import { call, errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { newestCode } from '../../support/mail-code.js';
import { aServiceUser } from '../../support/service-users.js';
import { addPat, aPhoneUser, resend, smsQueued, statuses, TWILIO } from '../../support/sms.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld({ ...TWILIO, SMS_CAP_ORGANIZATION: 'off', SMS_CAP_PREFIX: 'off' });
/** The same instance without an SMS provider. */
const mute = useReplica(api);
/** The same with access tokens that end at once. */
const shortly = useReplica(api, { ACCESS_TOKEN_LIFETIME: '1s' });
const client = given(() => anOwnApplication(world));

const AUDIENCE = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';
let subscriber = 1_000_000;
/** Another one each time, none of them in one block. */
const number = () => `+4179${String((subscriber += 10_007)).slice(0, 7)}`;

const phoneOf = async (userId: string) =>
  (
    await api.sql.query<{ phone: string; verified: boolean }>(
      'SELECT phone, phone_verified AS verified FROM user_humans WHERE user_id = $1',
      [userId],
    )
  ).rows[0];

describe('resending the verification of the own phone number', () => {
  it('answers the details of the user, and enqueues one SMS with its job', async () => {
    const user = await aPhoneUser(world, number());
    const { access_token: token } = await obtainTokens(api, client, user, { scope: 'openid' });
    const response = await resend(api, token);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      details: { sequence: '2', changeDate: expect.any(String) as string, resourceOwner: world.orgId },
    });
    expect(response.headers['cache-control']).toBe('no-store');
    expect(await smsQueued(api, [user])).toBe(1);
    const { rows } = await api.sql.query(
      `SELECT o.lane, n.state, round(extract(epoch FROM c.expires_at - c.created_at))::integer AS seconds
       FROM notifications n JOIN outbox o ON o.id = n.outbox_id JOIN verification_codes c ON c.id = n.code_id
       WHERE n.user_id = $1`,
      [user.userId],
    );
    expect(rows).toEqual([{ lane: 'priority', state: 'pending', seconds: 600 }]);
    expect(await newestCode(api, user.userId)).toMatch(/^[A-Z0-9]{6}$/);
  });

  it('S133, S102 is for a live access token of a person with scope openid only', async () => {
    const user = await aPhoneUser(world, number());
    const tokens = await obtainTokens(api, client, user, { scope: 'openid email offline_access' });
    const narrowed = await refreshTokens(api, client, tokens, { scope: 'email' });
    const { access_token: brief } = await obtainTokens(shortly, client, user, { scope: 'openid' });
    const service = await aServiceUser(world, 'ORG_OWNER');
    const browser = await aSignedInBrowser(api, client, user);
    const invalid = errorBody(16, 'Errors.Token.Invalid', 'AUTH-7fs1e');
    expect((await resend(api, undefined)).json()).toEqual(errorBody(16, 'auth header missing'));
    expect((await resend(api, tokens.id_token)).json()).toEqual(invalid);
    expect(narrowed.json<{ scope: string }>().scope).toBe('email');
    expect((await resend(api, narrowed.json<{ access_token: string }>().access_token)).json()).toEqual(
      invalid,
    );
    const cookieOnly = await resend(api, undefined, { headers: { cookie: browser.cookieHeader } });
    expect(cookieOnly.statusCode).toBe(401);
    const ofService = await resend(api, service.pat);
    expect(ofService.statusCode).toBe(404);
    expect(ofService.json()).toEqual(errorBody(5, 'Phone not found', 'COMMAND-2b7Hf'));
    await api.advance(2);
    expect((await resend(api, brief)).json()).toEqual(invalid);
    expect(await smsQueued(api, [user, service])).toBe(0);
  });

  it('S134 sends to the stored number of the caller whatever the body says', async () => {
    const [user, other] = [await aPhoneUser(world, number()), await aPhoneUser(world, number())];
    for (const body of [
      { phone: '+882161234567', userId: other.userId, orgId: 'O2' },
      { userId: other.userId },
      [],
      'null',
      '"x"',
      '{',
      '',
    ]) {
      const response = await resend(api, user.pat, { body });
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ code: 3 });
    }
    expect(await smsQueued(api, [user, other])).toBe(0);
    await resend(api, user.pat, { headers: { 'x-zitadel-orgid': 'O2' } });
    const { rows } = await api.sql.query(
      `SELECT c.target FROM notifications n JOIN verification_codes c ON c.id = n.code_id WHERE n.user_id = ANY ($1)`,
      [[user.userId, other.userId]],
    );
    expect(rows).toEqual([{ target: (await phoneOf(user.userId))?.phone }]);
  });

  it('S135 says what is missing, and makes no job then', async () => {
    const without = await aUser(world);
    const verified = await aUser(world, { phone: { number: number(), verified: true } });
    const unverified = await aPhoneUser(world, number());
    const refused = await resend(api, await addPat(api, without));
    expect([refused.statusCode, refused.json()]).toEqual([
      404,
      errorBody(5, 'Phone not found', 'COMMAND-2b7Hf'),
    ]);
    const done = await resend(api, await addPat(api, verified));
    expect([done.statusCode, done.json()]).toEqual([
      400,
      errorBody(9, 'Phone already verified', 'COMMAND-2M9sf'),
    ]);
    const muted = await resend(mute, unverified.pat);
    expect([muted.statusCode, muted.json()]).toEqual([
      400,
      errorBody(9, 'no SMS provider is configured', 'SMS-Np7sk'),
    ]);
    // the rows that every user has come before the provider
    expect((await resend(mute, await addPat(api, verified))).json()).toMatchObject({
      message: 'Phone already verified (COMMAND-2M9sf)',
    });
    expect(await smsQueued(api, [without, verified, unverified])).toBe(0);
  });

  it('S056 replaces the code before it', async () => {
    const user = await aPhoneUser(world, number());
    const { access_token: pat } = await obtainTokens(api, client, user, { scope: AUDIENCE });
    const verify = (code: string) =>
      call(api, 'POST', '/auth/v1/users/me/phone/_verify', { pat, body: { code } });
    await resend(api, pat);
    const first = await newestCode(api, user.userId);
    await api.advance(61);
    expect((await resend(api, pat)).statusCode).toBe(200);
    const second = await newestCode(api, user.userId);
    expect((await verify(first)).json()).toEqual(errorBody(3, 'Code is invalid', 'CODE-woT0xc'));
    const response = await verify(second.toLowerCase());
    expect(response.json()).toEqual({
      details: { sequence: '4', changeDate: expect.any(String) as string, resourceOwner: world.orgId },
    });
    expect(await phoneOf(user.userId)).toMatchObject({ verified: true });
    // used up
    expect((await verify(second)).json()).toEqual(errorBody(9, 'Code is no longer valid', 'CODE-QvUQ4P'));
  });

  it('is repeated safely with an Idempotency-Key', async () => {
    const user = await aPhoneUser(world, number());
    const headers = { 'idempotency-key': 'marker-key' };
    const [first, again] = [
      await resend(api, user.pat, { headers }),
      await resend(api, user.pat, { headers }),
    ];
    expect([first.statusCode, again.statusCode]).toEqual([200, 200]);
    expect(again.json()).toEqual(first.json());
    expect(await smsQueued(api, [user])).toBe(1);
  });

  it('S141 neither answers nor stores code or number in plain text', async () => {
    const user = await aPhoneUser(world, '+41765550199');
    const response = await resend(api, user.pat);
    expect(Object.keys(response.json<object>())).toEqual(['details']);
    const code = await newestCode(api, user.userId);
    const { rows } = await api.sql.query<{ text: string }>(
      `SELECT row_to_json(e)::text AS text FROM events e UNION ALL SELECT payload::text FROM outbox
       UNION ALL SELECT id FROM sms_quotas UNION ALL SELECT row_to_json(s)::text FROM sms_sends s`,
    );
    const told = [response.body, ...rows.map(({ text }) => text)].join('\n');
    expect(told).toContain('user.human.phone.code.added');
    expect(told).not.toContain('65550199');
    expect(told).not.toContain(`"${code}"`);
  });
});

describe('verifying the own phone number', () => {
  const signedIn = async (phone = number()) => {
    const user = await aPhoneUser(world, phone);
    const { access_token: pat } = await obtainTokens(api, client, user, { scope: AUDIENCE });
    return {
      user,
      pat,
      verify: (code: string) => call(api, 'POST', '/auth/v1/users/me/phone/_verify', { pat, body: { code } }),
    };
  };

  it('S053 takes no code of another user, purpose or number', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    await resend(api, one.pat);
    await resend(api, other.pat);
    const foreign = await newestCode(api, other.user.userId);
    expect((await one.verify(foreign)).statusCode).toBe(400);
    const own = await newestCode(api, one.user.userId);
    const put = await call(api, 'PUT', '/auth/v1/users/me/phone', {
      pat: one.pat,
      body: { phone: number() },
    });
    expect(put.statusCode).toBe(200);
    expect((await one.verify(own)).statusCode).toBe(400);
    const asEmail = await call(api, 'POST', '/auth/v1/users/me/email/_verify', {
      pat: one.pat,
      body: { code: await newestCode(api, one.user.userId) },
    });
    expect(asEmail.statusCode).toBe(400);
    expect(await phoneOf(one.user.userId)).toMatchObject({ verified: false });
  });

  it('S054 compares five tries in all, however many come at once', async () => {
    const { user, pat, verify } = await signedIn();
    await resend(api, pat);
    const code = await newestCode(api, user.userId);
    const wrong = code === 'AAAAAA' ? 'BBBBBB' : 'AAAAAA';
    const answers = await Promise.all(Array.from({ length: 40 }, () => verify(wrong)));
    const tried = answers.filter((answer) => answer.json<{ code: number }>().code === 3);
    expect(tried).toHaveLength(5);
    expect((await verify(code)).json()).toEqual(errorBody(9, 'Code is no longer valid', 'CODE-QvUQ4P'));
    expect(await phoneOf(user.userId)).toMatchObject({ verified: false });
  });

  it('S055 takes a code for ten minutes and not longer, and by one of many at once', async () => {
    const [late, intime] = [await signedIn(), await signedIn()];
    await resend(api, late.pat);
    await resend(api, intime.pat);
    const lateCode = await newestCode(api, late.user.userId);
    const code = await newestCode(api, intime.user.userId);
    await api.advance(590);
    const answers = await Promise.all(Array.from({ length: 4 }, () => intime.verify(code)));
    expect(statuses(answers)).toEqual({ 200: 1, 400: 3 });
    await api.advance(11);
    expect((await late.verify(lateCode)).statusCode).toBe(400);
    expect(await phoneOf(late.user.userId)).toMatchObject({ verified: false });
  });
});

describe('a code that the provider makes', () => {
  const asked: object[] = [];
  let answer: 'approved' | 'wrong' | 'ended' | 'away' = 'wrong';

  const verifying = useReplica(api, { ...TWILIO, TWILIO_VERIFY_SERVICE_SID: 'VAmarker' });
  beforeAll(async () => {
    verifying.app.get(ProviderChannels).checkCode = async (provider, check) => {
      asked.push({ provider: provider.id, ...check });
      if (answer === 'away') throw new ChannelError('timeout', 'retryable');
      return answer;
    };
  });

  it('is stored nowhere, and checked by that provider', async () => {
    const phone = number();
    const user = await aPhoneUser(world, phone);
    const { access_token: pat } = await obtainTokens(verifying, client, user, { scope: AUDIENCE });
    const verify = (code: string) =>
      call(verifying, 'POST', '/auth/v1/users/me/phone/_verify', { pat, body: { code } });
    expect((await resend(verifying, pat)).statusCode).toBe(200);
    const { rows } = await api.sql.query(
      `SELECT c.code_hash, c.provider_id, n.content_sealed FROM notifications n
       JOIN verification_codes c ON c.id = n.code_id WHERE n.user_id = $1`,
      [user.userId],
    );
    expect(rows).toEqual([
      { code_hash: null, provider_id: 'config-twilio' as ProviderId, content_sealed: null },
    ]);
    expect((await verify('111 111')).json()).toMatchObject({ code: 3 });
    answer = 'away';
    const away = await verify('222222');
    expect([away.statusCode, away.headers['retry-after']]).toEqual([503, '10']);
    answer = 'approved';
    expect((await verify('333333')).statusCode).toBe(200);
    expect(asked).toEqual(
      ['111111', '222222', '333333'].map((code) => ({ provider: 'config-twilio', to: phone, code })),
    );
    expect(await phoneOf(user.userId)).toMatchObject({ verified: true });
  });

  it('ends with the provider, and with what the provider says', async () => {
    const user = await aPhoneUser(world, number());
    const { access_token: pat } = await obtainTokens(verifying, client, user, { scope: AUDIENCE });
    await resend(verifying, pat);
    const verify = (at: TestApi) =>
      call(at, 'POST', '/auth/v1/users/me/phone/_verify', { pat, body: { code: '111111' } });
    answer = 'ended';
    expect((await verify(verifying)).json()).toMatchObject({ code: 9 });
    expect((await verify(mute)).json()).toMatchObject({ code: 9 });
  });
});

describe('a changed phone number', () => {
  it('is written in E.164, unverified, and gets an SMS where there is a provider', async () => {
    const user = await aUser(world, { phone: { number: number(), verified: true } });
    const { access_token: pat } = await obtainTokens(api, client, user, { scope: AUDIENCE });
    const put = (at: TestApi, phone: string) =>
      call(at, 'PUT', '/auth/v1/users/me/phone', { pat, body: { phone } });
    expect((await put(mute, '+41 78 111 22 33')).statusCode).toBe(200);
    expect(await phoneOf(user.userId)).toEqual({ phone: '+41781112233', verified: false });
    expect(await smsQueued(api, [user])).toBe(0);
    expect((await put(api, '078 222 33 44')).statusCode).toBe(200);
    expect(await phoneOf(user.userId)).toEqual({ phone: '+41782223344', verified: false });
    expect(await smsQueued(api, [user])).toBe(1);
    // the same number again enqueues nothing; a resend right behind it is no second one within the cooldown
    expect((await put(api, '+41782223344')).statusCode).toBe(200);
    expect(await smsQueued(api, [user])).toBe(1);
    expect((await resend(api, pat)).statusCode).toBe(200);
    expect((await resend(api, pat)).statusCode).toBe(429);
  });

  it('enqueues one by a manager and by an import, and none for a number that is vouched for', async () => {
    const manager = await aServiceUser(world, 'ORG_OWNER');
    const user = await aUser(world);
    const path = `/management/v1/users/${user.userId}/phone`;
    const put = (body: object) => manager.call('PUT', path, body);
    await put({ phone: number(), isPhoneVerified: true });
    expect(await smsQueued(api, [user])).toBe(0);
    await put({ phone: number() });
    expect(await smsQueued(api, [user])).toBe(1);
    const again = () => manager.call('POST', `${path}/_resend_verification`, {});
    expect((await again()).statusCode).toBe(200);
    const soon = await again();
    expect(soon.statusCode).toBe(429);
    // what is left of a minute
    const wait = Number(soon.headers['retry-after']);
    expect(wait).toBeGreaterThan(30);
    expect(wait).toBeLessThanOrEqual(60);
    expect(await smsQueued(api, [user])).toBe(2);
    const nobody = await manager.call('POST', `/management/v1/users/1/phone/_resend_verification`, {});
    expect(nobody.statusCode).toBe(404);
  });
});

describe('the page behind the link of the SMS', () => {
  const linkOf = async (userId: string) => {
    const { rows } = await api.sql.query<{ id: string }>(
      'SELECT id FROM verification_codes WHERE user_id = $1 AND ended_at IS NULL',
      [userId],
    );
    return rows[0]?.id ?? '';
  };

  it('verifies by a press on its button, and not by being opened', async () => {
    const user = await aPhoneUser(world, '+41767001122');
    await resend(api, user.pat);
    const [id, code] = [await linkOf(user.userId), await newestCode(api, user.userId)];
    const browser = new TestBrowser(api);
    const page = await browser.get(`/verify/phone?id=${id}&code=${code}`);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('+41•••22');
    expect(page.body).not.toContain('767001122');
    // whose account it is for, masked: whoever got the SMS may not be whose account it is
    expect(page.body).toMatch(/class="who"[^]*u•••/);
    expect(page.body).not.toContain(user.userName);
    expect(await phoneOf(user.userId)).toMatchObject({ verified: false });
    const fields = hiddenFields(page.body);
    const wrong = await browser.post('/verify/phone', {
      ...fields,
      code: code === 'AAAAAA' ? 'BBBBBB' : 'AAAAAA',
    });
    expect(wrong.statusCode).toBe(400);
    expect(wrong.body).toContain('Your phone number is not verified yet');
    expect(wrong.body).not.toContain('e-mail');
    expect((await browser.post('/verify/phone', { ...fields, csrf: 'x', code })).statusCode).toBe(403);
    const done = await browser.post('/verify/phone', { ...fields, code });
    expect(done.statusCode).toBe(200);
    expect(done.body).toContain('Your phone number is verified');
    expect(await phoneOf(user.userId)).toMatchObject({ verified: true });
    expect((await browser.get(`/verify/phone?id=${id}&code=${code}`)).statusCode).toBe(400);
    // of another purpose
    expect((await browser.get(`/verify/email?id=${id}&code=${code}`)).statusCode).toBe(400);
  });
});
