import { createServer, type Server } from 'node:net';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { TwilioChannel } from '../../../src/outbound/sms/twilio-channel.js';
import { givenRunning } from '../../support/given.js';
import {
  AUTH_TOKEN,
  TwilioDouble,
  twilioSignature,
  type TwilioVerdict,
} from '../../support/twilio-double.js';
import { failureOf, messagesProvider, sms, verifyProvider } from './providers.js';

const double = givenRunning(() => TwilioDouble.start());

beforeEach(() => {
  double.verdict = () => 'accept';
  double.requests.length = 0;
  double.taken.length = 0;
  double.expire(sms.to);
});

function channel(
  changes: { baseUrl?: string; secret?: string; timeoutMs?: number; checkTimeoutMs?: number } = {},
): TwilioChannel {
  return new TwilioChannel({
    baseUrl: changes.baseUrl ?? double.url,
    secretOf: () => Promise.resolve(changes.secret ?? AUTH_TOKEN),
    timeoutMs: changes.timeoutMs ?? 5_000,
    checkTimeoutMs: changes.checkTimeoutMs ?? 5_000,
  });
}

const refusals: readonly (readonly [TwilioVerdict, object])[] = [
  // F26: wait exactly
  [
    { status: 429, code: 20429, retryAfter: 7 },
    { reason: 'twilio_20429', failure: 'retryable', retryAfterMs: 7_000, scope: 'provider' },
  ],
  [
    { status: 429, retryAfter: 90 },
    { failure: 'retryable', retryAfterMs: 90_000, scope: 'provider' },
  ],
  [
    { status: 429, code: 20429 },
    { failure: 'retryable', retryAfterMs: 30_000, scope: 'provider' },
  ],
  [
    { status: 503, code: 20503, retryAfter: 3 },
    { failure: 'retryable', retryAfterMs: 3_000 },
  ],
  // F26: abandon, though the status says that one may come back
  [
    { status: 429, code: 60203, retryAfter: 7 },
    { reason: 'twilio_60203', failure: 'terminal', retryAfterMs: undefined, scope: 'message' },
  ],
  [
    { status: 429, code: 60202 },
    { reason: 'twilio_60202', failure: 'terminal', scope: 'message' },
  ],
  // F26: abandon, and the prefix is flagged
  [
    { status: 403, code: 60410 },
    { reason: 'twilio_60410', failure: 'terminal', scope: 'prefix' },
  ],
  [
    { status: 403, code: 60605 },
    { failure: 'terminal', scope: 'prefix' },
  ],
  [
    { status: 400, code: 30450 },
    { failure: 'terminal', scope: 'prefix' },
  ],
  // F26: this number is no good
  [
    { status: 400, code: 21211 },
    { reason: 'twilio_21211', failure: 'terminal', scope: 'message' },
  ],
  [
    { status: 400, code: 21614 },
    { failure: 'terminal', scope: 'message' },
  ],
  [
    { status: 400, code: 21408 },
    { failure: 'terminal', scope: 'message' },
  ],
  [
    { status: 400, code: 21610 },
    { failure: 'terminal', scope: 'message' },
  ],
  [
    { status: 400, code: 21612 },
    { failure: 'terminal', scope: 'message' },
  ],
  [
    { status: 400, code: 99999 },
    { failure: 'terminal', scope: 'message' },
  ],
  // the account, not the message
  [
    { status: 401, code: 20003 },
    { reason: 'twilio_20003', failure: 'retryable', retryAfterMs: 300_000, scope: 'provider' },
  ],
  [{ status: 401 }, { reason: 'twilio_http_401', failure: 'retryable', scope: 'provider' }],
  [
    { status: 403, code: 20005 },
    { failure: 'retryable', scope: 'provider' },
  ],
  [
    { status: 404, code: 20404 },
    { failure: 'retryable', scope: 'provider' },
  ],
  [
    { status: 400, code: 21606 },
    { failure: 'retryable', scope: 'provider' },
  ],
  [
    { status: 429, code: 63038 },
    { failure: 'retryable', retryAfterMs: 300_000, scope: 'provider' },
  ],
  // F26: try again
  [
    { status: 500, code: 20500 },
    { reason: 'twilio_20500', failure: 'retryable', scope: 'message' },
  ],
  [{ status: 502 }, { reason: 'twilio_http_502', failure: 'retryable', scope: 'message' }],
  [
    { status: 500, raw: '<html>' },
    { reason: 'twilio_http_500', failure: 'retryable' },
  ],
  [
    { status: 301, raw: '' },
    { reason: 'twilio_http_301', failure: 'retryable', scope: 'provider' },
  ],
  // F26: it may have it
  ['drop', { reason: 'http_ambiguous', failure: 'ambiguous', scope: 'message' }],
  ['take-and-drop', { reason: 'http_ambiguous', failure: 'ambiguous', scope: 'message' }],
  [
    { status: 201, raw: 'no JSON' },
    { reason: 'twilio_unreadable', failure: 'ambiguous' },
  ],
];

describe('an SMS by Twilio Messages', () => {
  it('carries number, text, sender and where to report to, and learns the name of the message', async () => {
    const accepted = await channel().sendMessage(messagesProvider, sms);
    const [taken] = double.to(sms.to);
    expect(accepted).toEqual({ providerMessageId: taken?.sid });
    expect(Object.fromEntries(taken?.request.form ?? [])).toEqual({
      To: sms.to,
      Body: sms.text,
      From: '+15005550006',
      StatusCallback: 'https://id.test/cb?n=1',
    });
  });

  it('leaves the sender to a messaging service', async () => {
    const { accountSid } = messagesProvider.settings;
    const messagingServiceSid = `MG${'3'.repeat(32)}`;
    await channel().sendMessage({ ...messagesProvider, settings: { accountSid, messagingServiceSid } }, sms);
    expect(double.requests[0]?.form.get('MessagingServiceSid')).toBe(messagingServiceSid);
    expect(double.requests[0]?.form.has('From')).toBe(false);
  });

  it.each(refusals)('that fails with %j is %j (F26)', async (verdict, expected) => {
    double.verdict = () => verdict;
    const failure = await failureOf(channel().sendMessage(messagesProvider, sms));
    const { reason, failure: kind, retryAfterMs, scope } = failure;
    expect({ reason, failure: kind, retryAfterMs, scope }).toMatchObject(expected);
    expect(double.requests).toHaveLength(1);
  });

  it('that was accepted without an answer in time may have gone out (F26)', async () => {
    double.verdict = () => 'take-and-hang';
    const failure = await failureOf(channel({ timeoutMs: 200 }).sendMessage(messagesProvider, sms));
    expect(failure).toMatchObject({ reason: 'http_timeout', failure: 'ambiguous' });
    expect(double.taken).toHaveLength(1);
  });

  it('that never reached anybody may be tried again', async () => {
    const server: Server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const closed = channel({ baseUrl: `http://127.0.0.1:${port}` });
    expect(await failureOf(closed.sendMessage(messagesProvider, sms))).toMatchObject({
      reason: 'http_connection',
      failure: 'retryable',
    });
    const noTls = channel({ baseUrl: double.url.replace('http:', 'https:') });
    expect(await failureOf(noTls.sendMessage(messagesProvider, sms))).toMatchObject({
      reason: 'http_tls',
      failure: 'retryable',
    });
    expect(double.requests).toHaveLength(0);
  });

  it('tells what Twilio said to whoever asks, and nothing that prints errors', async () => {
    double.verdict = () => ({ status: 400, code: 21211, message: `Invalid number ${sms.to}` });
    const failure = await failureOf(channel().sendMessage(messagesProvider, sms));
    expect(failure.said).toBe(`Invalid number ${sms.to}`);
    expect(inspect(failure, { depth: 9, showHidden: true }) + JSON.stringify(failure)).not.toContain(sms.to);
    expect(inspect(failure, { depth: 9 })).not.toContain(AUTH_TOKEN);
  });
});

describe('an SMS by Twilio Verify', () => {
  it('has Twilio make the code, in a language that it knows', async () => {
    const accepted = await channel().startVerification(verifyProvider, { ...sms, code: undefined });
    const [taken] = double.to(sms.to);
    expect(accepted).toEqual({ providerMessageId: taken?.sid });
    expect(Object.fromEntries(taken?.request.form ?? [])).toEqual({
      To: sms.to,
      Channel: 'sms',
      Locale: 'de',
    });
  });

  it('leaves a language that Twilio does not know to the service', async () => {
    await channel().startVerification(verifyProvider, { ...sms, language: 'rm' });
    expect(double.requests[0]?.form.has('Locale')).toBe(false);
  });

  it('is abandoned at the sixth (F26)', async () => {
    const twilio = channel();
    for (let count = 0; count < 5; count += 1) await twilio.startVerification(verifyProvider, sms);
    expect(await failureOf(twilio.startVerification(verifyProvider, sms))).toMatchObject({
      reason: 'twilio_60203',
      failure: 'terminal',
    });
    expect(double.to(sms.to)).toHaveLength(5);
  });

  it('has its code checked, which uses it up', async () => {
    const twilio = channel();
    await twilio.startVerification(verifyProvider, sms);
    const code = double.codeOf(sms.to);
    expect(await twilio.checkCode(verifyProvider, { to: sms.to, code: '000000' })).toBe('wrong');
    expect(await twilio.checkCode(verifyProvider, { to: sms.to, code })).toBe('approved');
    expect(await twilio.checkCode(verifyProvider, { to: sms.to, code })).toBe('ended');
  });

  it('has no code any more after five wrong ones', async () => {
    const twilio = channel();
    await twilio.startVerification(verifyProvider, sms);
    const code = double.codeOf(sms.to);
    for (let count = 0; count < 5; count += 1) {
      expect(await twilio.checkCode(verifyProvider, { to: sms.to, code: '000000' })).toBe('wrong');
    }
    expect(await twilio.checkCode(verifyProvider, { to: sms.to, code })).toBe('ended');
  });

  it('holds nobody at a page for as long as a message may take (S397)', async () => {
    const twilio = channel({ timeoutMs: 60_000, checkTimeoutMs: 300 });
    double.verdict = () => 'take-and-hang';
    const check = { to: sms.to, code: '123456' };
    expect(await failureOf(twilio.checkCode(verifyProvider, check))).toMatchObject({
      reason: 'http_timeout',
    });
  });

  it('leaves a check undecided when Twilio cannot tell', async () => {
    const twilio = channel();
    double.verdict = () => ({ status: 500, code: 20500 });
    const check = { to: sms.to, code: '123456' };
    expect(await failureOf(twilio.checkCode(verifyProvider, check))).toMatchObject({ failure: 'retryable' });
    double.verdict = () => ({ status: 401, code: 20003 });
    expect(await failureOf(twilio.checkCode(verifyProvider, check))).toMatchObject({ scope: 'provider' });
  });
});

describe('a status call-back', () => {
  const url = 'https://id.test/notifications/status?n=1';
  const parameters = { MessageSid: 'SM1', MessageStatus: 'delivered' };

  it('is Twilio’s only with its signature over this address and these parameters', async () => {
    const twilio = channel();
    const signature = twilioSignature(url, parameters);
    const isSigned = (changes: object) =>
      twilio.isSigned(messagesProvider, { url, parameters, signature, ...changes });
    expect(await isSigned({})).toBe(true);
    expect(await isSigned({ url: `${url}0` })).toBe(false);
    expect(await isSigned({ parameters: { ...parameters, MessageStatus: 'failed' } })).toBe(false);
    expect(await isSigned({ signature: twilioSignature(url, parameters, 'another token') })).toBe(false);
    expect(await isSigned({ signature: '' })).toBe(false);
  });
});

describe('the account of a provider', () => {
  it('is opened anew when its settings changed', async () => {
    const secrets = ['wrong', AUTH_TOKEN];
    const twilio = new TwilioChannel({
      baseUrl: double.url,
      secretOf: () => Promise.resolve(secrets.shift()),
      timeoutMs: 5_000,
      checkTimeoutMs: 5_000,
    });
    expect(await failureOf(twilio.sendMessage(messagesProvider, sms))).toMatchObject({
      reason: 'twilio_20003',
      scope: 'provider',
    });
    await twilio.sendMessage({ ...messagesProvider, version: '2' }, sms);
    expect(double.taken).toHaveLength(1);
  });
});
