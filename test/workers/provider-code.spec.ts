import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { anOwnApplication } from '../support/applications.js';
import { obtainTokens } from '../support/browser-flow.js';
import { call } from '../support/calls.js';
import { given } from '../support/given.js';
import { redisUrl } from '../support/redis.js';
import { NO_SMS_LIMITS, resend } from '../support/sms.js';
import { ACCOUNT_SID, AUTH_TOKEN, TwilioDouble, VERIFY_SID } from '../support/twilio-double.js';
import { aUser } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { eventually } from './support/eventually.js';
import { dumpRedis } from './support/redis-server.js';
import { WorkerProcess } from './support/worker-process.js';

// Twilio Verify makes and checks the code: API, outbox, relay, queue, worker, the library's own client, and back.

let twilio: TwilioDouble;
let worker: WorkerProcess;
let subscriber = 7_910_000;

const settings = () => ({
  TWILIO_ACCOUNT_SID: ACCOUNT_SID,
  TWILIO_AUTH_TOKEN: AUTH_TOKEN,
  TWILIO_VERIFY_SERVICE_SID: VERIFY_SID,
  TWILIO_BASE_URL: twilio.url,
  OUTBOUND_PRIVATE_ADDRESSES: 'allow',
  ...NO_SMS_LIMITS,
});
beforeAll(async () => {
  twilio = await TwilioDouble.start();
});
afterAll(() => twilio.stop());
const { api, world } = useWorld(settings);
const client = given(() => anOwnApplication(world));
beforeAll(async () => {
  worker = WorkerProcess.spawn({
    ...settings(),
    DATABASE_URL: api.database.serviceUrl,
    REDIS_URL: redisUrl(),
    QUEUE_PREFIX: api.config.queues.prefix,
    PUBLIC_URL: 'http://id.localhost:8080',
  });
  await worker.untilReady();
});
afterAll(() => worker.kill());
beforeEach(() => {
  twilio.verdict = () => 'accept';
});

/** Somebody who has been sent a code, and how to type one. */
class Asker {
  private asked = 0;

  private constructor(
    readonly number: string,
    readonly userId: string,
    private readonly token: string,
  ) {}

  static async arrive(): Promise<Asker> {
    const number = `+4179${(subscriber += 1)}`;
    const user = await aUser(world, { phone: { number, verified: false } });
    const scope = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';
    const { access_token: token } = await obtainTokens(api, client, user, { scope });
    const asker = new Asker(number, user.userId, token);
    await asker.ask();
    return asker;
  }

  /** Until Twilio has it. */
  async ask(): Promise<void> {
    const { statusCode, body } = await resend(api, this.token);
    if (statusCode !== 200) throw new Error(`nothing was queued: ${body}`);
    this.asked += 1;
    await eventually('an SMS', 20_000, () => twilio.to(this.number).length === this.asked);
  }

  async type(code: string): Promise<LightMyRequestResponse> {
    const options = { pat: this.token, body: { code } };
    return await call(api, 'POST', '/auth/v1/users/me/phone/_verify', options);
  }

  async isVerified(): Promise<boolean> {
    const { rows } = await api.sql.query<{ phone_verified: boolean }>(
      'SELECT phone_verified FROM user_humans WHERE user_id = $1',
      [this.userId],
    );
    return rows[0]?.phone_verified === true;
  }

  /** What Twilio was asked to check. */
  checked(): (string | null)[] {
    return twilio.requests
      .filter(({ kind, to }) => kind === 'check' && to === this.number)
      .map(({ form }) => form.get('Code'));
  }
}

const wrong = (code: string): string => (code.startsWith('1') ? '2' : '1') + code.slice(1);

it('a number is verified by the code that Twilio made, which nobody else has', async () => {
  const asker = await Asker.arrive();
  const [sms] = twilio.to(asker.number);
  expect(sms?.request.kind).toBe('verification');
  expect(Object.fromEntries(sms?.request.form ?? [])).toMatchObject({ To: asker.number, Channel: 'sms' });
  const code = twilio.codeOf(asker.number);

  const first = await asker.type(wrong(code));
  expect([first.statusCode, first.json<{ code: number }>().code]).toEqual([400, 3]);
  expect(await asker.isVerified()).toBe(false);
  expect((await asker.type(code)).statusCode).toBe(200);
  expect(await asker.isVerified()).toBe(true);
  expect(asker.checked()).toEqual([wrong(code), code]);

  // used up
  expect((await asker.type(code)).statusCode).toBe(400);
  expect(asker.checked()).toHaveLength(2);
  const noted = async (): Promise<readonly object[]> =>
    (
      await api.sql.query<{ provider_id: string; provider_message_id: string; nothing: boolean }>(
        `SELECT n.provider_id, n.provider_message_id, n.content_sealed IS NULL AND c.code_hash IS NULL AS nothing
         FROM notifications n JOIN verification_codes c ON c.id = n.code_id WHERE n.user_id = $1`,
        [asker.userId],
      )
    ).rows;
  // the worker notes what Twilio answered, which the person at the phone does not wait for
  await expect
    .poll(noted)
    .toEqual([{ provider_id: 'config-twilio', provider_message_id: sms?.sid, nothing: true }]);
  expect(await dumpRedis(redisUrl(), api.config.queues.prefix)).not.toContain(asker.number);
});

it('a code that has expired at Twilio is over, and one that is asked for again is not', async () => {
  const asker = await Asker.arrive();
  const code = twilio.codeOf(asker.number);
  twilio.expire(asker.number);
  const late = await asker.type(code);
  expect([late.statusCode, late.json<{ code: number }>().code]).toEqual([400, 9]);
  expect(asker.checked()).toEqual([code]);
  expect(await asker.isVerified()).toBe(false);
  await asker.ask();
  expect((await asker.type(twilio.codeOf(asker.number))).statusCode).toBe(200);
  expect(await asker.isVerified()).toBe(true);
});

it('five wrong codes are the end of it, whatever is typed then', async () => {
  const asker = await Asker.arrive();
  const code = twilio.codeOf(asker.number);
  for (let times = 0; times < 5; times += 1) {
    expect((await asker.type(wrong(code))).json()).toMatchObject({ code: 3 });
  }
  expect((await asker.type(code)).json()).toMatchObject({ code: 9 });
  expect(await asker.isVerified()).toBe(false);
});

it('a check that Twilio cannot make decides nothing', async () => {
  const asker = await Asker.arrive();
  const code = twilio.codeOf(asker.number);
  twilio.verdict = ({ kind }) => (kind === 'check' ? { status: 503 } : 'accept');
  const undecided = await asker.type(code);
  expect([undecided.statusCode, undecided.headers['retry-after']]).toEqual([503, '10']);
  expect(await asker.isVerified()).toBe(false);
  twilio.verdict = () => 'accept';
  expect((await asker.type(code)).statusCode).toBe(200);
});

it('somebody else’s code verifies nothing', async () => {
  const [one, other] = [await Asker.arrive(), await Asker.arrive()];
  const foreign = twilio.codeOf(other.number);
  expect((await one.type(foreign)).json()).toMatchObject({ code: 3 });
  expect(one.checked()).toEqual([foreign]);
  expect(other.checked()).toEqual([]);
  expect((await other.type(foreign)).statusCode).toBe(200);
  expect(await one.isVerified()).toBe(false);
});
