import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { redisUrl } from '../support/redis.js';
import { ACCOUNT_SID, AUTH_TOKEN, TwilioDouble, type TwilioVerdict } from '../support/twilio-double.js';
import { eventually } from './support/eventually.js';
import { Pipeline } from './support/pipeline.js';
import type { QueuedMail } from './support/seed.js';
import type { WorkerProcess } from './support/worker-process.js';

let number = 15_100_000_000;

describe('SMS by Twilio (F26)', () => {
  let pipeline: Pipeline;
  let twilio: TwilioDouble;
  let worker: WorkerProcess;
  const environment = (): Record<string, string> => ({
    TWILIO_ACCOUNT_SID: ACCOUNT_SID,
    TWILIO_AUTH_TOKEN: AUTH_TOKEN,
    TWILIO_FROM: '+15005550006',
    TWILIO_BASE_URL: twilio.url,
    OUTBOUND_PRIVATE_ADDRESSES: 'allow',
  });

  beforeAll(async () => {
    pipeline = await Pipeline.build(redisUrl());
    twilio = await TwilioDouble.start();
    worker = await pipeline.startWorker(environment());
  });
  afterAll(async () => {
    await pipeline.tearDown();
    await twilio.stop();
  });

  const nextNumber = (): string => `+49${(number += 1)}`;

  /** Whatever is to become of it must be set before: the worker may have sent it by the time that it is known here. */
  async function queueSms(phone = nextNumber()): Promise<QueuedMail> {
    return await pipeline.seed.queueMail({ phone, lane: 'priority' });
  }

  /** The same, to a number of which Twilio says so, and of all others that it accepts. */
  async function queueSmsThatMeets(verdict: TwilioVerdict): Promise<QueuedMail> {
    const phone = nextNumber();
    twilio.verdict = ({ to }) => (to === phone ? verdict : 'accept');
    return await queueSms(phone);
  }

  async function ended(sms: QueuedMail): Promise<{ state: string; lastError: string | null }> {
    return await eventually(`the end of ${sms.id}`, 20_000, async () => {
      const now = await pipeline.seed.stateOf(sms);
      return ['sent', 'failed', 'abandoned'].includes(now.state) ? now : undefined;
    });
  }

  const asked = (sms: QueuedMail): number => twilio.requests.filter(({ to }) => to === sms.to).length;

  it('hands it over once, with the code and the address for reports', async () => {
    twilio.verdict = () => 'accept';
    const sms = await queueSms();
    expect(await ended(sms)).toMatchObject({ state: 'sent' });
    const [taken] = twilio.to(sms.to);
    expect(taken?.request.form.get('Body')).toContain(sms.code);
    const reports = `http://id.localhost:8080/notifications/v1/reports/${sms.id}`;
    expect(taken?.request.form.get('StatusCallback')).toBe(reports);
    const { rows } = await pipeline.pool.query(
      'SELECT provider_id, provider_message_id FROM notifications WHERE id = $1',
      [sms.id],
    );
    expect(rows).toEqual([{ provider_id: 'config-twilio', provider_message_id: taken?.sid }]);
  });

  it.each<[string, TwilioVerdict]>([
    ['60203, too many sends', { status: 429, code: 60_203 }],
    ['21211, no number', { status: 400, code: 21_211 }],
    ['60410, blocked for fraud', { status: 403, code: 60_410 }],
  ])('gives up at once after %s', async (_, verdict) => {
    const sms = await queueSmsThatMeets(verdict);
    expect(await ended(sms)).toMatchObject({ state: 'abandoned' });
    expect(asked(sms)).toBe(1);
  });

  it.each<TwilioVerdict>(['take-and-drop', 'take-and-hang'])(
    'never repeats one whose end nobody heard: %s',
    async (verdict) => {
      const sms = await queueSmsThatMeets(verdict);
      await eventually(`the end of ${sms.id}`, 45_000, async () => {
        return (await pipeline.seed.stateOf(sms)).state === 'abandoned';
      });
      expect(twilio.to(sms.to)).toHaveLength(1);
      expect(asked(sms)).toBe(1);
      expect(await pipeline.seed.count('notifications', `id = '${sms.id}' AND ambiguous`)).toBe(1);
    },
  );

  it('tries again after 500, twice at most', async () => {
    const sms = await queueSmsThatMeets({ status: 500 });
    expect((await ended(sms)).state).toBe('abandoned');
    expect(asked(sms)).toBeLessThanOrEqual(3);
  });

  it('waits for exactly as long as a 429 says, and sends it then', async () => {
    const phone = nextNumber();
    let refusedAt = 0;
    let takenAt = 0;
    twilio.verdict = ({ to }) => {
      if (to !== phone) return 'accept';
      if (refusedAt === 0) {
        refusedAt = performance.now();
        return { status: 429, code: 20_429, retryAfter: 3 };
      }
      takenAt = performance.now();
      return 'accept';
    };
    const sms = await queueSms(phone);
    expect(await ended(sms)).toMatchObject({ state: 'sent' });
    expect(takenAt - refusedAt).toBeGreaterThanOrEqual(2_990);
    expect(asked(sms)).toBe(2);
  });

  it('tells operators in its metrics what became of them, and that the account is paused', async () => {
    const printed = (line: string) =>
      eventually(line, 30_000, async () => (await worker.ops('/metrics')).body.split('\n').includes(line));
    const dead = await pipeline.seed.count('notifications', 'dead_letter');
    expect(dead).toBeGreaterThan(0);
    await printed(`identity_notifications_dead ${dead}`);
    const sent = await pipeline.seed.count('notifications', `state = 'sent'`);
    await printed(`identity_notifications_total{outcome="sent"} ${sent}`);
    await printed('identity_notification_providers_held{state="paused"} 0');
    twilio.verdict = () => ({ status: 401, code: 20_003 });
    const sms = await queueSms();
    await printed('identity_notification_providers_held{state="paused"} 1');
    await printed('identity_notification_providers_held{state="open"} 0');
    expect((await pipeline.seed.stateOf(sms)).state).not.toBe('abandoned');
    const { rows } = await pipeline.pool.query<{ type: string }>(
      `SELECT type FROM events WHERE aggregate_id = 'config-twilio' ORDER BY position`,
    );
    expect(rows.at(-1)).toEqual({ type: 'notification_provider.paused' });
  });
});

describe('an SMS server that does not answer', () => {
  it('is named with host, port and cause in the log and in the ledger; the SMS waits', async () => {
    const pipeline = await Pipeline.build(redisUrl());
    const port = await anyFreePort();
    try {
      const sms = await pipeline.seed.queueMail({ phone: '+4915188888888', lane: 'priority' });
      const worker = await pipeline.startWorker({
        TWILIO_ACCOUNT_SID: ACCOUNT_SID,
        TWILIO_AUTH_TOKEN: AUTH_TOKEN,
        TWILIO_FROM: '+15005550006',
        TWILIO_BASE_URL: `http://127.0.0.1:${port}`,
        OUTBOUND_PRIVATE_ADDRESSES: 'allow',
      });
      const met = { host: '127.0.0.1', port, cause: 'ECONNREFUSED' };
      // it is tried again and again, and is `sending` meanwhile
      const ledger = async () => {
        const { rows } = await pipeline.pool.query(
          'SELECT state, last_failure AS failure FROM notifications WHERE id = $1',
          [sms.id],
        );
        return rows;
      };
      await expect.poll(ledger).toMatchObject([{ state: 'retrying', failure: met }]);
      const warning = await eventually('a warning', 20_000, () =>
        worker.log.split('\n').find((line) => line.includes('"a message was not delivered"')),
      );
      expect(JSON.parse(warning)).toMatchObject({ id: sms.id, channel: 'sms', ...met });
      expect(worker.log).not.toContain(AUTH_TOKEN);
    } finally {
      await pipeline.tearDown();
    }
  });
});

describe('a worker that dies after Twilio took the SMS (F14d)', () => {
  it('is followed by none that sends it again', async () => {
    const pipeline = await Pipeline.build(redisUrl());
    const twilio = await TwilioDouble.start();
    const environment = {
      TWILIO_ACCOUNT_SID: ACCOUNT_SID,
      TWILIO_AUTH_TOKEN: AUTH_TOKEN,
      TWILIO_FROM: '+15005550006',
      TWILIO_BASE_URL: twilio.url,
      OUTBOUND_PRIVATE_ADDRESSES: 'allow',
    };
    try {
      const sms = await pipeline.seed.queueMail({ phone: '+4915199999999', lane: 'priority' });
      const doomed = pipeline.spawnWorker({ ...environment, CRASH_AT: 'notification-after-send' });
      expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
      expect(twilio.to(sms.to)).toHaveLength(1);
      await pipeline.pool.query(
        `UPDATE notifications SET claimed_until = now() - interval '1 s' WHERE state = 'sending'`,
      );
      await pipeline.startWorker(environment);
      await eventually('its end', 60_000, async () => {
        return (await pipeline.seed.stateOf(sms)).state === 'abandoned';
      });
      expect(twilio.to(sms.to)).toHaveLength(1);
    } finally {
      await pipeline.tearDown();
      await twilio.stop();
    }
  });
});
