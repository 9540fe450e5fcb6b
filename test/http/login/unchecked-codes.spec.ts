import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChannelError } from '../../../src/domain/notifications/channels.js';
import { ProviderChannels } from '../../../src/domain/notifications/providers/provider-channels.js';
import { AccountBrowser } from '../../support/account-browser.js';
import { anOwnApplication } from '../../support/applications.js';
import {
  codeRequest,
  hiddenFields,
  obtainTokens,
  redirected,
  TestBrowser,
} from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { NO_SMS_LIMITS, TWILIO } from '../../support/sms.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// Where a provider makes the codes it is asked about each, and may be away: whoever types one has done nothing wrong.

const { api, world } = useWorld({ ...TWILIO, ...NO_SMS_LIMITS, TWILIO_VERIFY_SERVICE_SID: 'VAmarker' });
const client = given(() => anOwnApplication(world));
const SCOPE = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';
const WORDS = 'The code could not be checked right now';
/** More than a code takes, and more than lock a user. */
const TIMES = 12;

let answer: 'approved' | 'wrong' | 'away';
let subscriber = 4_000_000;
let user: TestUser;

beforeAll(() => {
  api.app.get(ProviderChannels).checkCode = async () => {
    if (answer === 'away') throw new ChannelError('timeout', 'retryable');
    return answer;
  };
});
beforeEach(async () => {
  answer = 'away';
  user = await phoneUser(true);
});

async function phoneUser(verified: boolean, at = world): Promise<TestUser> {
  const number = `+4179${String((subscriber += 10_007)).slice(0, 7)}`;
  return await aUser(at, { phone: { number, verified } });
}

async function turnOn(): Promise<void> {
  await api.sql.query(`INSERT INTO user_code_factors (user_id, org_id, kind) VALUES ($1, $2, 'sms')`, [
    user.userId,
    user.orgId,
  ]);
}

/** Failures that count against the user, and tries that count against the code. */
async function counted(): Promise<unknown> {
  const { rows } = await api.sql.query(
    `SELECT coalesce((SELECT attempts - forgiven FROM password_attempts WHERE user_id = $1), 0)::int AS failures,
       (SELECT attempts FROM verification_codes WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1) AS tries`,
    [user.userId],
  );
  return rows[0];
}

/** Sends the form again and again while the provider is away, and once more when it is back with its word. */
async function outlast(
  send: (fields: Record<string, string>) => Promise<LightMyRequestResponse>,
  fields: Record<string, string>,
): Promise<LightMyRequestResponse> {
  let form = fields;
  for (let n = 0; n < TIMES; n += 1) {
    const away = await send({ ...form, code: '123456' });
    expect([away.statusCode, away.headers['retry-after']]).toEqual([503, '10']);
    expect(away.body).toContain(WORDS);
    form = hiddenFields(away.body);
  }
  expect(await counted()).toEqual({ failures: 0, tries: 0 });
  answer = 'wrong';
  const wrong = await send({ ...form, code: '123456' });
  expect(wrong.statusCode).toBe(400);
  expect(await counted()).toMatchObject({ tries: 1 });
  answer = 'approved';
  return await send({ ...hiddenFields(wrong.body), code: '123456' });
}

describe('a code whose provider cannot be asked counts for nothing (S353)', () => {
  it('as a second factor', async () => {
    await turnOn();
    const browser = new TestBrowser(api);
    const signedIn = await browser.signIn(codeRequest(client), user);
    const page = await browser.get(signedIn.headers.location ?? '');
    const shown = await outlast(
      (form) => browser.post('/login/second-factor', form),
      hiddenFields(page.body),
    );
    expect(redirected(shown).has('code')).toBe(true);
    expect(await counted()).toMatchObject({ failures: 0 });
  });

  it('where it turns codes on, by the page and by the API', async () => {
    const path = '/account/security/codes/sms';
    const browser = await AccountBrowser.signedIn(api, user);
    await browser.post(`${path}/send`, await browser.fieldsOf(path));
    const on = await outlast((form) => browser.post(path, form), await browser.fieldsOf(path));
    expect(on.headers.location).toBe('/account/security/recovery-codes?done=smsCodes');

    user = await phoneUser(true);
    const { access_token: pat } = await obtainTokens(api, client, user, { scope: SCOPE });
    const own = (does: string, body: object) =>
      call(api, 'POST', `/auth/v1/users/me/factors/codes/sms/${does}`, { pat, body });
    expect((await own('_begin', {})).json()).toEqual({ sent: true });
    answer = 'away';
    for (let n = 0; n < TIMES; n += 1) {
      expect((await own('_finish', { code: '123456' })).json()).toMatchObject({ code: 14 });
    }
    expect(await counted()).toEqual({ failures: 0, tries: 0 });
    answer = 'approved';
    expect((await own('_finish', { code: '123456' })).statusCode).toBe(200);
  });

  it('where it turns codes on in the middle of a sign-in', async () => {
    const elsewhere = await anOrganization(api);
    const { pat } = await aServiceUser(elsewhere, 'ORG_OWNER');
    const body = { secondFactor: 'required', requiredFor: 'all', kinds: ['sms'] };
    expect((await call(api, 'PUT', 'policies/factors', { pat, body })).statusCode).toBe(200);
    user = await phoneUser(true, elsewhere);
    const path = '/login/set-up-factor';
    const browser = new TestBrowser(api);
    const signedIn = await browser.submitPassword(codeRequest(client), user);
    const page = await browser.get(signedIn.headers.location ?? '');
    const sent = await browser.post(`${path}/send`, hiddenFields(page.body));
    const typing = await browser.get(sent.headers.location ?? '');
    const done = await outlast((form) => browser.post(path, form), hiddenFields(typing.body));
    expect(done.statusCode).toBe(303);
  });

  it('as the code of a number, by the page of the account and by the link of the SMS', async () => {
    for (const by of ['page', 'link']) {
      answer = 'away';
      user = await phoneUser(false);
      const browser = await AccountBrowser.signedIn(api, user);
      const own = '/account/phone';
      await browser.post(`${own}/resend`, await browser.fieldsOf(own));
      const { rows } = await api.sql.query<{ id: string }>(
        'SELECT id FROM verification_codes WHERE user_id = $1',
        [user.userId],
      );
      const path = by === 'page' ? own : '/verify/phone';
      const fields = await browser.fieldsOf(by === 'page' ? own : `${path}?id=${rows[0]?.id}`);
      const done = await outlast((form) => browser.post(path, form), fields);
      expect(done.statusCode).toBe(by === 'page' ? 303 : 200);
      const verified = await api.sql.query('SELECT FROM user_humans WHERE user_id = $1 AND phone_verified', [
        user.userId,
      ]);
      expect(verified.rowCount).toBe(1);
    }
  });
});
