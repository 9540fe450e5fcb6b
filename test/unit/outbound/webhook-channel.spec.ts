import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebhookChannel, type WebhookChannelOptions } from '../../../src/outbound/webhook-channel.js';
import { failureOf, httpProvider, mail, sms } from './providers.js';

const SIGNING_KEY = 'a signing key of thirty-two characters';

interface Reply {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

let server: Server;
let url: string;
let reply: Reply | 'hang' | 'drop';
const received: { headers: IncomingHttpHeaders; body: string; path: string }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ headers: request.headers, body: body.toString(), path: request.url ?? '' });
      if (reply === 'hang') return undefined;
      if (reply === 'drop') return response.destroy();
      return response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/hook?x=1`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  received.length = 0;
  reply = { status: 200 };
});

function channel(changes: Partial<WebhookChannelOptions> = {}): WebhookChannel {
  return new WebhookChannel({
    secretOf: () => Promise.resolve(SIGNING_KEY),
    allowPrivate: true,
    nowSeconds: () => 1_700_000_000,
    timeoutMs: 5_000,
    ...changes,
  });
}

describe('a message by webhook', () => {
  it('is the message itself, signed with the time, and named the same at each attempt', async () => {
    await channel().sendMail(httpProvider(url), mail);
    const [got] = received;
    expect(JSON.parse(got?.body ?? '')).toEqual({ channel: 'email', ...mail });
    const mac = createHmac('sha256', SIGNING_KEY).update(`1700000000.${got?.body}`).digest('hex');
    expect(got?.headers['x-signature']).toBe(`t=1700000000,v1=${mac}`);
    expect(got?.headers['idempotency-key']).toBe(mail.messageId);
    expect(got?.path).toBe('/hook?x=1');
    expect(JSON.stringify(got)).not.toContain(SIGNING_KEY);
  });

  it('may be an SMS', async () => {
    reply = { status: 202, body: '{"id":"m-7"}' };
    expect(await channel().sendSms(httpProvider(url), sms)).toEqual({ providerMessageId: 'm-7' });
    const { notificationId, ...rest } = sms;
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      channel: 'sms',
      messageId: notificationId,
      ...rest,
    });
  });

  it.each([
    { status: 200 },
    { status: 202, body: 'accepted' },
    { status: 204 },
    { status: 201, body: '{"error":null,"errors":[],"success":true}' },
    { status: 200, body: '["error"]' },
  ])('was taken when the answer is %j (F27)', async (answer) => {
    reply = answer;
    await expect(channel().sendMail(httpProvider(url), mail)).resolves.toEqual({});
  });

  const failures: readonly (readonly [Reply | 'drop', object])[] = [
    [
      { status: 200, body: '{"error":"quota"}' },
      { reason: 'http_error_body', failure: 'retryable' },
    ],
    [
      { status: 200, body: '{"errors":[{"m":1}]}' },
      { reason: 'http_error_body', failure: 'retryable' },
    ],
    [
      { status: 202, body: '{"success":false}' },
      { reason: 'http_error_body', failure: 'retryable' },
    ],
    [{ status: 200, body: '{"error":"no such user","retryable":false}' }, { failure: 'terminal' }],
    [
      { status: 301, headers: { location: '/hook' } },
      { reason: 'http_301', failure: 'retryable', scope: 'provider' },
    ],
    [
      { status: 302, headers: { location: '/' } },
      { reason: 'http_302', scope: 'provider' },
    ],
    [{ status: 401 }, { reason: 'http_401', failure: 'retryable', scope: 'provider' }],
    [{ status: 404 }, { reason: 'http_404', failure: 'retryable', scope: 'provider' }],
    [{ status: 400 }, { reason: 'http_400', failure: 'terminal', scope: 'message' }],
    [{ status: 422 }, { reason: 'http_422', failure: 'terminal', scope: 'message' }],
    [
      { status: 429, headers: { 'retry-after': '17' } },
      { reason: 'http_429', failure: 'retryable', retryAfterMs: 17_000, scope: 'provider' },
    ],
    [{ status: 500 }, { reason: 'http_500', failure: 'retryable', scope: 'message' }],
    [
      { status: 503, headers: { 'retry-after': '5' } },
      { failure: 'retryable', retryAfterMs: 5_000 },
    ],
    ['drop', { reason: 'http_ambiguous', failure: 'ambiguous' }],
  ];

  it.each(failures)('that meets %j is %j (F27)', async (answer, expected) => {
    reply = answer;
    const failure = await failureOf(channel().sendMail(httpProvider(url), mail));
    const { reason, failure: kind, retryAfterMs, scope } = failure;
    expect({ reason, failure: kind, retryAfterMs, scope }).toMatchObject(expected);
    // a redirect is not followed
    expect(received).toHaveLength(1);
  });

  it('may have been taken when no answer comes in time', async () => {
    reply = 'hang';
    const failure = await failureOf(channel({ timeoutMs: 200 }).sendMail(httpProvider(url), mail));
    expect(failure).toMatchObject({ reason: 'http_timeout', failure: 'ambiguous' });
  });

  it('never leaves unsigned', async () => {
    const failure = await failureOf(
      channel({ secretOf: () => Promise.resolve(undefined) }).sendMail(httpProvider(url), mail),
    );
    expect(failure).toMatchObject({ reason: 'http_no_secret', scope: 'provider' });
    expect(received).toHaveLength(0);
  });

  it.each(['127.0.0.1', 'localhost', '127.1', '0x7f000001', '2130706433', '[::1]', '[::ffff:127.0.0.1]'])(
    'never goes to this host as %s (S162)',
    async (host) => {
      const internal = new URL(url.replace('http:', 'https:'));
      internal.hostname = host;
      const failure = await failureOf(
        channel({ allowPrivate: false }).sendMail(httpProvider(internal.href), mail),
      );
      expect(failure).toMatchObject({ reason: 'address_refused', failure: 'retryable', scope: 'provider' });
      expect(received).toHaveLength(0);
    },
  );

  it('never goes out in clear, though that was allowed once (S362)', async () => {
    const failure = await failureOf(
      channel({ allowPrivate: false }).sendMail(httpProvider('http://mail.example.invalid/'), mail),
    );
    expect(failure).toMatchObject({ reason: 'not_https', failure: 'retryable', scope: 'provider' });
  });

  it.each(['http://169.254.169.254/', 'http://[fd00:ec2::254]/', 'http://0.0.0.0/'])(
    'never goes to %s, even where private networks are allowed (S162)',
    async (address) => {
      const failure = await failureOf(channel().sendMail(httpProvider(address), mail));
      expect(failure).toMatchObject({ reason: 'address_refused', scope: 'provider' });
    },
  );
});
