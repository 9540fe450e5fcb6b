import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import { call, postForm } from '../../support/calls.js';
import { eventTypesOf } from '../../support/events.js';
import { stopClockOfLimits } from '../../support/rate-limits.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { getExpectedTwilioSignature } = twilio;
const FORM_LIMIT_BYTES = 64 * 1024;
const TOKEN = '0123456789abcdef0123456789abcdef';
/** Where its call-backs come from, whoever's they are. */
const TWILIOS = '203.0.113.7';
const PROVIDER = {
  TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
  TWILIO_AUTH_TOKEN: TOKEN,
  TWILIO_FROM: '+15005550006',
};

let count = 0;

const { api, world } = useWorld(PROVIDER);

type State = 'sending' | 'sent' | 'failed' | 'delivered' | 'abandoned';

/** An SMS that the provider has. */
async function sms(state: State = 'sent', sid: string | null = null): Promise<{ id: string; sid: string }> {
  const { userId } = await aUser(world);
  count += 1;
  const id = `sms-${count}`;
  const named = sid ?? `SM${String(count).padStart(32, '0')}`;
  const ended = state !== 'sending';
  await api.sql.query(
    `INSERT INTO notifications (id, org_id, user_id, channel, template, code_id, state, provider_id,
       provider_message_id, finished_at, fence, ambiguous, dead_letter)
     VALUES ($1, $2, $3, 'sms', 'verify_phone', $1, $4, 'config-twilio', $5, $6, 3, $7, $7)`,
    [
      id,
      world.orgId,
      userId,
      state,
      state === 'sent' ? named : null,
      ended ? new Date() : null,
      state === 'abandoned',
    ],
  );
  return { id, sid: named };
}

interface Report {
  readonly status: string;
  readonly sid: string;
  readonly code?: string;
  readonly token?: string;
  readonly signature?: string;
  readonly extra?: string;
  readonly from?: string;
}

async function report(
  id: string,
  { status, sid, code, token = TOKEN, signature, extra = '', from = '127.0.0.1' }: Report,
) {
  const parameters = {
    AccountSid: PROVIDER.TWILIO_ACCOUNT_SID,
    MessageSid: sid,
    MessageStatus: status,
    ...(code === undefined ? {} : { ErrorCode: code }),
  };
  const url = `https://id.test/notifications/v1/reports/${id}`;
  const body = `${new URLSearchParams(parameters).toString()}${extra}`;
  const headers = { 'x-twilio-signature': signature ?? getExpectedTwilioSignature(token, url, parameters) };
  return await postForm(api, `/notifications/v1/reports/${id}`, body, headers, from);
}

async function rowOf(id: string) {
  const { rows } = await api.sql.query<{ state: string; last_error: string | null; reported: string | null }>(
    'SELECT state, last_error, reported FROM notifications WHERE id = $1',
    [id],
  );
  return rows[0];
}

describe('reports of what became of an SMS', () => {
  it('takes a signed one, and the same again changes nothing', async () => {
    const { id, sid } = await sms();
    for (let times = 0; times < 3; times += 1) {
      expect((await report(id, { status: 'delivered', sid })).statusCode).toBe(204);
    }
    expect(await rowOf(id)).toMatchObject({ state: 'delivered', last_error: null });
    expect(await eventTypesOf(api, id)).toEqual(['notification.delivered']);
  });

  it('takes a failure as a dead letter with its reason', async () => {
    const { id, sid } = await sms();
    expect((await report(id, { status: 'undelivered', sid, code: '30003' })).statusCode).toBe(204);
    expect(await rowOf(id)).toMatchObject({ state: 'failed', last_error: 'twilio_30003' });
    expect(await eventTypesOf(api, id)).toEqual(['notification.undelivered']);
  });

  it('never takes a delivery back, whatever comes late', async () => {
    const { id, sid } = await sms();
    await report(id, { status: 'delivered', sid });
    for (const status of ['queued', 'sending', 'sent', 'undelivered', 'failed', 'unheard-of']) {
      expect((await report(id, { status, sid })).statusCode).toBe(204);
    }
    expect(await rowOf(id)).toMatchObject({ state: 'delivered', last_error: null });
    expect(await eventTypesOf(api, id)).toEqual(['notification.delivered']);
  });

  it('keeps what comes before the worker has written that the message is away', async () => {
    const { id, sid } = await sms('sending');
    expect((await report(id, { status: 'delivered', sid })).statusCode).toBe(204);
    expect(await rowOf(id)).toMatchObject({ state: 'sending', reported: 'delivered' });
  });

  it('clears up what nobody had heard the end of', async () => {
    const { id, sid } = await sms('abandoned');
    await report(id, { status: 'delivered', sid });
    expect(await rowOf(id)).toMatchObject({ state: 'delivered' });
  });

  it('leaves a message alone that has another name with the provider', async () => {
    const { id } = await sms();
    expect((await report(id, { status: 'delivered', sid: `SM${'9'.repeat(32)}` })).statusCode).toBe(204);
    expect(await rowOf(id)).toMatchObject({ state: 'sent' });
  });

  it('refuses what the provider did not sign, and tells nobody which messages there are', async () => {
    const { id, sid } = await sms();
    const other = await sms();
    const forged = [
      await report(id, { status: 'delivered', sid, token: 'another' }),
      await report(id, { status: 'delivered', sid, signature: '' }),
      await report(id, { status: 'delivered', sid, extra: '&MessageStatus=failed' }),
      await report(id, { status: 'delivered', sid, extra: '&More=1' }),
      await report('nobody', { status: 'delivered', sid }),
      // signed for the other message
      await report(id, {
        status: 'delivered',
        sid: other.sid,
        signature: getExpectedTwilioSignature(
          TOKEN,
          `https://id.test/notifications/v1/reports/${other.id}`,
          {},
        ),
      }),
    ];
    expect(forged.map(({ statusCode }) => statusCode)).toEqual(forged.map(() => 403));
    expect(new Set(forged.map(({ body }) => body)).size).toBe(1);
    expect(await rowOf(id)).toMatchObject({ state: 'sent' });
  });

  it('refuses large bodies and other kinds of body', async () => {
    const { id, sid } = await sms();
    const post = async (size: number) =>
      await postForm(api, `/notifications/v1/reports/${id}`, `MessageSid=${sid}&Padding=`.padEnd(size, 'x'), {
        'x-twilio-signature': 'x',
      });
    // the largest form is read, and then found unsigned
    expect((await post(FORM_LIMIT_BYTES)).statusCode).toBe(403);
    const large = await post(FORM_LIMIT_BYTES + 1);
    expect({ status: large.statusCode, body: large.body }).toEqual({ status: 413, body: '' });
    expect(large.headers['cache-control']).toBe('no-store');
    expect(await rowOf(id)).toMatchObject({ state: 'sent' });
    const json = await api.app.inject({
      method: 'POST',
      url: `/notifications/v1/reports/${id}`,
      headers: { 'content-type': 'application/json', 'x-twilio-signature': 'x' },
      payload: '{}',
    });
    expect(json.statusCode).toBe(403);
  });

  it('believes a provider that has been switched off since, and none that was removed', async () => {
    const { pat } = await aServiceUser(world, 'IAM_OWNER');
    const providers = '/admin/v1/notification_providers';
    const change = async (method: 'POST' | 'DELETE', path: string, body?: unknown) => {
      const response = await call(api, method, `${providers}${path}`, { pat, body });
      expect(response.statusCode).toBe(200);
      return response.json<{ id: string }>();
    };
    const token = 'another-token-of-another-account';
    const { id: provider } = await change('POST', '', {
      kind: 'twilio_messages',
      name: 'Second',
      accountSid: `AC${'2'.repeat(32)}`,
      authToken: token,
      from: '+15005550006',
    });
    await change('POST', `/${provider}/_activate`, {});
    const messages = [await sms(), await sms(), await sms()];
    for (const { id } of messages) {
      await api.sql.query('UPDATE notifications SET provider_id = $2 WHERE id = $1', [id, provider]);
    }
    const told = async (which: number, signedWith = token) => {
      const { id, sid } = messages[which] ?? { id: '', sid: '' };
      const { statusCode } = await report(id, { status: 'delivered', sid, token: signedWith });
      return [statusCode, (await rowOf(id))?.state];
    };
    expect(await told(0)).toEqual([204, 'delivered']);
    await change('POST', `/${provider}/_deactivate`, {});
    expect(await told(1, TOKEN)).toEqual([403, 'sent']);
    expect(await told(1)).toEqual([204, 'delivered']);
    await change('DELETE', `/${provider}`);
    expect(await told(2)).toEqual([403, 'sent']);
  });

  it('stops listening to an address that keeps on guessing, and goes on with Twilio', async () => {
    const { id, sid } = await sms();
    stopClockOfLimits(api);
    let last = 0;
    for (let guess = 0; guess < 65; guess += 1) {
      const answer = await postForm(
        api,
        `/notifications/v1/reports/${id}`,
        `MessageSid=${sid}&MessageStatus=delivered`,
        { 'x-twilio-signature': 'x' },
        TWILIOS,
      );
      last = answer.statusCode;
    }
    expect(last).toBe(429);
    // who guesses may be another customer of Twilio's
    expect((await report(id, { status: 'delivered', sid, from: TWILIOS })).statusCode).toBe(204);
    expect((await report(id, { status: 'delivered', sid, from: TWILIOS, token: 'x' })).statusCode).toBe(429);
    expect(await rowOf(id)).toMatchObject({ state: 'delivered' });
  });

  it('looks up no more of a burst than that, before the first of it has failed (S398)', async () => {
    stopClockOfLimits(api);
    const forged = { status: 'delivered', sid: `SM${'f'.repeat(32)}`, token: 'x', from: '203.0.113.8' };
    const answers = await Promise.all(Array.from({ length: 80 }, () => report('sms-none', forged)));
    expect(answers.filter(({ statusCode }) => statusCode === 403)).toHaveLength(60);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(20);
  });
});
