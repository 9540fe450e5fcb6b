import { beforeEach, describe, expect, it } from 'vitest';
import { NotificationProvidersStore } from '../../../src/domain/notifications/providers/notification-providers.store.js';
import { ProviderChannels } from '../../../src/domain/notifications/providers/provider-channels.js';
import { SmsProviders } from '../../../src/domain/notifications/providers/sms-providers.js';
import { randomToken } from '../../../src/domain/shared/random.js';
import { startTestApi, useReplica, type TestApi } from '../../support/api.js';
import { errorBody, type Method } from '../../support/calls.js';
import { eventsOf } from '../../support/events.js';
import { given, givenRunning } from '../../support/given.js';
import { ScriptedSmtp } from '../../support/scripted-smtp.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { ACCOUNT_SID, AUTH_TOKEN, TwilioDouble, VERIFY_SID } from '../../support/twilio-double.js';
import { useWorld } from '../../support/world.js';

const PROVIDERS = '/admin/v1/notification_providers';
const PASSWORD = 'the-smtp-password-77';
const SIGNING_KEY = 'a signing key of thirty-two characters';
const NOT_FOUND = errorBody(5, 'Provider could not be found', 'NOTIF-Pv3fn');

const smtp = givenRunning(() => ScriptedSmtp.start());
const twilio = givenRunning(() => TwilioDouble.start());

/** Refuses internal addresses, as everywhere off loopback. */
const { api, world } = useWorld();
/** A replica that may call them, and has providers in its configuration. */
const local = useReplica(api, () => ({
  OUTBOUND_PRIVATE_ADDRESSES: 'allow',
  SMTP_URL: smtp.url.replace('smtp://', 'smtp://svc:config-pass-1@'),
  TWILIO_ACCOUNT_SID: ACCOUNT_SID,
  TWILIO_AUTH_TOKEN: AUTH_TOKEN,
  TWILIO_VERIFY_SERVICE_SID: VERIFY_SID,
  TWILIO_BASE_URL: twilio.url,
  RATE_LIMIT_MAIL: '1000',
}));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const viewer = given(() => aServiceUser(world, 'IAM_OWNER_VIEWER'));

beforeEach(async () => {
  await api.sql.query('DELETE FROM notification_providers');
  for (const { app } of [api, local]) app.get(NotificationProvidersStore).forget();
  smtp.replies = {};
  twilio.verdict = () => 'accept';
});

const SMTP = {
  kind: 'smtp',
  name: 'Relay',
  host: 'mail.example.com',
  user: 'svc',
  password: PASSWORD,
  from: 'Example <id@example.com>',
};
const MESSAGES = {
  kind: 'twilio_messages',
  name: 'Twilio',
  accountSid: ACCOUNT_SID,
  authToken: AUTH_TOKEN,
  from: '+15005550006',
};
const VERIFY = {
  kind: 'twilio_verify',
  name: 'Verify',
  accountSid: ACCOUNT_SID,
  authToken: AUTH_TOKEN,
  verifyServiceSid: VERIFY_SID,
};
const HTTP = {
  kind: 'http',
  name: 'Gateway',
  channel: 'sms',
  url: 'https://gateway.example.com/send',
  signingKey: SIGNING_KEY,
};

async function added(body: object, on = api): Promise<string> {
  const response = await root.call('POST', PROVIDERS, body, { on });
  expect(response.json()).toMatchObject({ details: { sequence: '1' } });
  return response.json<{ id: string }>().id;
}

async function activated(body: object, on = api): Promise<string> {
  const id = await added(body, on);
  expect((await root.call('POST', `${PROVIDERS}/${id}/_activate`, {}, { on })).statusCode).toBe(200);
  return id;
}

async function found(id: string, on = api): Promise<Record<string, unknown>> {
  const response = await viewer.call('GET', `${PROVIDERS}/${id}`, undefined, { on });
  expect(response.statusCode).toBe(200);
  return response.json<{ provider: Record<string, unknown> }>().provider;
}

async function usable(channel: 'email' | 'sms', on = api): Promise<string[]> {
  return (await on.app.get(NotificationProvidersStore).usable(channel)).map(({ id }) => id);
}

describe('a provider', () => {
  it('is added inactive, found, listed, activated, deactivated and removed', async () => {
    const id = await added({ ...SMTP, rate_per_second: 20 });
    expect(await found(id)).toEqual({
      id,
      details: expect.objectContaining({ sequence: '1' }) as unknown,
      state: 'STATE_INACTIVE',
      source: 'api',
      kind: 'smtp',
      channel: 'email',
      name: 'Relay',
      priority: 100,
      ratePerSecond: 20,
      connections: 8,
      host: 'mail.example.com',
      port: 587,
      tls: 'starttls',
      user: 'svc',
      from: 'Example <id@example.com>',
    });
    expect(await usable('email')).toEqual([]);
    const activate = () => root.call('POST', `${PROVIDERS}/${id}/_activate`, {});
    expect((await activate()).json()).toMatchObject({ details: { sequence: '2' } });
    expect((await activate()).json()).toEqual(errorBody(9, 'Provider is active already', 'NOTIF-Pv8st'));
    expect(await usable('email')).toEqual([id]);
    const list = await viewer.call('GET', PROVIDERS);
    expect(list.json()).toMatchObject({
      details: { totalResult: '1' },
      result: [{ id, state: 'STATE_ACTIVE' }],
    });
    const deactivate = await root.call('POST', `${PROVIDERS}/${id}/_deactivate`, {});
    expect(deactivate.json()).toMatchObject({ details: { sequence: '3' } });
    expect(await usable('email')).toEqual([]);
    expect((await root.call('DELETE', `${PROVIDERS}/${id}`)).json()).toMatchObject({
      details: { sequence: '4' },
    });
    expect((await viewer.call('GET', `${PROVIDERS}/${id}`)).json()).toEqual(NOT_FOUND);
    for (const [method, path] of [
      ['DELETE', id],
      ['POST', `${id}/_activate`],
      ['POST', `${id}/_deactivate`],
    ] as const) {
      const response = await root.call(method, `${PROVIDERS}/${path}`, {});
      expect(response.json()).toEqual(NOT_FOUND);
    }
    expect((await root.call('PUT', `${PROVIDERS}/${id}`, SMTP)).json()).toEqual(NOT_FOUND);
    expect((await root.call('POST', `${PROVIDERS}/${id}/_test`, { to: 'a@mail.test' })).json()).toEqual(
      NOT_FOUND,
    );
  });

  it('is the business of the instance alone, and tests need a permission of their own', async () => {
    const id = await added(SMTP);
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const statuses = async (who: ServiceUser) => [
      (await who.call('GET', PROVIDERS)).statusCode,
      (await who.call('GET', `${PROVIDERS}/${id}`)).statusCode,
      (await who.call('POST', PROVIDERS, SMTP)).statusCode,
      (await who.call('PUT', `${PROVIDERS}/${id}`, SMTP)).statusCode,
      (await who.call('DELETE', `${PROVIDERS}/${id}`)).statusCode,
      (await who.call('POST', `${PROVIDERS}/${id}/_activate`, {})).statusCode,
      (await who.call('POST', `${PROVIDERS}/${id}/_deactivate`, {})).statusCode,
      (await who.call('POST', `${PROVIDERS}/${id}/_test`, { to: 'a@mail.test' })).statusCode,
    ];
    expect(await statuses(owner)).toEqual(Array.from({ length: 8 }, () => 403));
    expect(await statuses(viewer)).toEqual([200, 200, 403, 403, 403, 403, 403, 403]);
  });

  it.each([
    [{ ...SMTP, host: undefined }, 'host is required'],
    [{ ...SMTP, from: undefined }, 'from is required'],
    [{ ...SMTP, from: 'nobody' }, 'from must be an e-mail address'],
    [{ ...SMTP, from: 'a@example.com\r\nBcc: b@example.com' }, 'from must be one line'],
    [{ ...SMTP, password: undefined }, 'password is required'],
    [{ ...SMTP, user: undefined }, 'password needs a user'],
    [{ ...SMTP, tls: 'opportunistic' }, 'tls must be implicit or starttls'],
    [{ ...SMTP, tls: 'ssl' }, 'tls must be one of'],
    [{ ...SMTP, port: 0 }, 'port must be a whole number'],
    [{ ...SMTP, port: 65_536 }, 'port must be a whole number'],
    [{ ...SMTP, host: 'a b' }, 'host must be a host name'],
    [{ ...SMTP, host: 'a@b' }, 'host must be a host name'],
    [{ ...SMTP, host: 'a/b' }, 'host must be a host name'],
    [{ ...SMTP, channel: 'sms' }, 'channel of smtp is email'],
    [{ ...SMTP, url: 'https://example.com' }, 'url is not a field of smtp'],
    [{ ...SMTP, baseUrl: 'https://example.com' }, 'baseUrl'],
    [{ ...SMTP, connections: 101 }, 'connections must be'],
    [{ ...MESSAGES, baseUrl: 'https://example.com' }, 'baseUrl'],
    [{ ...MESSAGES, from: undefined }, 'from or messagingServiceSid is required'],
    [{ ...MESSAGES, messagingServiceSid: `MG${'3'.repeat(32)}` }, 'only one of them'],
    [{ ...MESSAGES, from: 'far too long a name' }, 'from must be a number'],
    [{ ...MESSAGES, accountSid: 'AC1' }, 'accountSid must be AC'],
    [{ ...MESSAGES, authToken: undefined }, 'authToken is required'],
    [{ ...VERIFY, verifyServiceSid: undefined }, 'verifyServiceSid is required'],
    [{ ...VERIFY, from: '+15005550006' }, 'from is not a field of twilio_verify'],
    [{ ...HTTP, signingKey: 'short' }, 'signingKey must have 32'],
    [{ ...HTTP, channel: undefined }, 'channel is required'],
    [{ ...HTTP, url: 'http://gateway.example.com/' }, 'url must start with https://'],
    [{ ...HTTP, url: 'file:///etc/passwd' }, 'url must start with https://'],
    [{ ...HTTP, url: 'gopher://gateway.example.com/' }, 'url must start with https://'],
    [{ ...HTTP, url: 'https://a:b@gateway.example.com/' }, 'url must not contain credentials'],
    [{ ...HTTP, kind: 'fax' }, 'kind must be one of'],
  ])('is refused as %j', async (body, message) => {
    const response = await root.call('POST', PROVIDERS, body);
    expect(response.statusCode).toBe(400);
    expect(response.json<{ message: string }>().message).toContain(message);
  });

  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f000001',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '10.0.0.5',
    '169.254.169.254',
    'localhost',
    'metadata.google.internal',
  ])('is never at %s (S162)', async (host) => {
    for (const body of [
      { ...SMTP, host },
      { ...HTTP, url: `https://${host}/` },
    ]) {
      const response = await root.call('POST', PROVIDERS, body);
      expect(response.statusCode).toBe(400);
      expect(response.json<{ message: string }>().message).toContain('must not be an internal address');
    }
  });

  it('at a name that leads to an internal address is not called (S162)', async () => {
    // what was allowed when it was stored, or leads elsewhere by now
    const id = await added({ ...SMTP, host: '127.0.0.1', port: Number(new URL(smtp.url).port) }, local);
    const before = smtp.connections;
    const response = await root.call('POST', `${PROVIDERS}/${id}/_test`, { to: 'a@mail.test' });
    expect(response.json()).toMatchObject({ accepted: false, reason: 'address_refused' });
    expect(smtp.connections).toBe(before);
  });
});

describe('the secret of a provider', () => {
  it('is in no answer, event, idempotency row or column in the clear (S175)', async () => {
    const key = randomToken(8);
    const secrets = [PASSWORD, AUTH_TOKEN, SIGNING_KEY];
    const answers: string[] = [];
    for (const body of [SMTP, MESSAGES, VERIFY, HTTP]) {
      const headers = { 'idempotency-key': `${key}${body.kind}` };
      const post = () => root.call('POST', PROVIDERS, body, { headers });
      const first = await post();
      expect((await post()).body).toBe(first.body);
      const { id } = first.json<{ id: string }>();
      answers.push(first.body, (await root.call('PUT', `${PROVIDERS}/${id}`, body)).body);
      answers.push((await root.call('GET', `${PROVIDERS}/${id}`)).body);
    }
    answers.push((await root.call('GET', PROVIDERS)).body);
    const { rows } = await api.sql.query<{ row: string }>(`
      SELECT row_to_json(p)::text AS row FROM notification_providers p
      UNION ALL SELECT row_to_json(e)::text FROM events e
      UNION ALL SELECT row_to_json(i)::text FROM idempotency_keys i
      UNION ALL SELECT row_to_json(o)::text FROM outbox o`);
    const everything = [...answers, ...rows.map(({ row }) => row)].join('\n');
    for (const secret of secrets) {
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(Buffer.from(secret).toString('base64'));
      expect(everything).not.toContain(Buffer.from(secret).toString('hex'));
    }
    const sealed = await api.sql.query(`SELECT FROM notification_providers WHERE secret_sealed IS NOT NULL`);
    expect(sealed.rowCount).toBe(4);
  });

  it('opens in its own row only (S175)', async () => {
    const one = await activated({ ...MESSAGES, name: 'One' }, local);
    const two = await activated({ ...MESSAGES, name: 'Two' }, local);
    await api.sql.query(
      `UPDATE notification_providers SET secret_sealed = other.secret_sealed, data_key_id = other.data_key_id
       FROM notification_providers other WHERE notification_providers.id = $1 AND other.id = $2`,
      [two, one],
    );
    const test = (id: string) =>
      root.call('POST', `${PROVIDERS}/${id}/_test`, { to: '+41791234567' }, { on: local });
    expect((await test(one)).json()).toMatchObject({ accepted: true });
    expect((await test(two)).json()).toMatchObject({ accepted: false, reason: 'secret_unreadable' });
  });

  it('S190: no test message goes to a number that no SMS are sent to', async () => {
    const id = await activated({ ...MESSAGES, name: 'Premium' }, local);
    const tester = await aServiceUser(world, 'IAM_OWNER');
    for (const [to, text] of [
      ['+41900123456', 'no SMS are sent to numbers of this kind (SMS-Nt4pe)'],
      ['+263771234567', 'no SMS are sent to the country of this number (SMS-Co5xt)'],
    ]) {
      const answer = await tester.call('POST', `${PROVIDERS}/${id}/_test`, { to }, { on: local });
      expect([answer.statusCode, answer.json()]).toMatchObject([400, { code: 9, message: text }]);
    }
  });

  it('stays when it is not given, and must be given again to go elsewhere', async () => {
    const id = await added(SMTP);
    const { password: _, ...without } = SMTP;
    const put = (changes: object) => root.call('PUT', `${PROVIDERS}/${id}`, { ...without, ...changes });
    const sealed = async () => {
      const query = `SELECT encode(secret_sealed, 'hex') AS hex FROM notification_providers WHERE id = $1`;
      return (await api.sql.query<{ hex: string | null }>(query, [id])).rows[0]?.hex;
    };
    const first = await sealed();
    expect((await put({ name: 'Renamed', priority: 5 })).statusCode).toBe(200);
    expect(await sealed()).toBe(first);
    for (const elsewhere of [
      { host: 'mail.evil.example' },
      { port: 2525 },
      { user: 'other' },
      { tls: 'implicit' },
    ]) {
      expect((await put(elsewhere)).json()).toEqual(
        errorBody(3, 'password must be given again, because it would go elsewhere'),
      );
    }
    expect((await put({ host: 'mail.other.example', password: 'another' })).statusCode).toBe(200);
    expect(await sealed()).not.toBe(first);
    expect((await put({ host: 'mail.other.example', user: undefined })).statusCode).toBe(200);
    expect(await sealed()).toBeNull();
    expect((await put({ kind: 'http', channel: 'email' })).statusCode).toBe(400);
    const rows = await eventsOf(api, id, 'type', 'fields', 'actor_id');
    expect(rows).toMatchObject([
      { type: 'notification_provider.added', actor_id: root.userId },
      { type: 'notification_provider.changed', fields: ['name', 'priority'] },
      { type: 'notification_provider.changed', fields: ['host', 'name', 'priority', 'secret'] },
      { type: 'notification_provider.changed', fields: ['secret', 'user'] },
    ]);
  });

  it('of a webhook stays with its URL, and that of Twilio with its account', async () => {
    const http = await added(HTTP);
    const { signingKey: _key, ...webhook } = HTTP;
    const moved = { ...webhook, url: 'https://evil.example.com/' };
    expect((await root.call('PUT', `${PROVIDERS}/${http}`, moved)).statusCode).toBe(400);
    expect((await root.call('PUT', `${PROVIDERS}/${http}`, webhook)).statusCode).toBe(200);
    const id = await added(MESSAGES);
    const { authToken: _token, ...messages } = MESSAGES;
    const other = { ...messages, accountSid: `AC${'9'.repeat(32)}` };
    expect((await root.call('PUT', `${PROVIDERS}/${id}`, other)).statusCode).toBe(400);
    expect(
      (await root.call('PUT', `${PROVIDERS}/${id}`, { ...messages, from: '+15005550007' })).statusCode,
    ).toBe(200);
  });
});

describe('the order of providers', () => {
  it('is their priority, and those of the configuration come last', async () => {
    const second = await activated({ ...SMTP, priority: 20 });
    const first = await activated({ ...SMTP, priority: 10 });
    await added({ ...SMTP, priority: 1 });
    const webhook = await activated({ ...HTTP, channel: 'email', priority: 30 });
    local.app.get(NotificationProvidersStore).forget();
    expect(await usable('email', local)).toEqual([first, second, webhook, 'config-smtp']);
    expect(await usable('email')).toEqual([first, second, webhook]);
    expect(await usable('sms', local)).toEqual(['config-twilio']);
  });

  it('says who makes the code of an SMS', async () => {
    const mode = (on: TestApi) => on.app.get(SmsProviders).mode();
    expect(await mode(api)).toEqual({ kind: 'none' });
    expect(await mode(local)).toEqual({ kind: 'provider-code', providerId: 'config-twilio' });
    await activated({ ...MESSAGES, priority: 10 });
    local.app.get(NotificationProvidersStore).forget();
    expect(await mode(local)).toEqual({ kind: 'own-code' });
    const verify = await activated({ ...VERIFY, priority: 5 });
    expect(await mode(api)).toEqual({ kind: 'provider-code', providerId: verify });
  });
});

describe('a provider of the configuration', () => {
  it('is listed and found without its secret, and changed by nobody', async () => {
    const id = await added(SMTP);
    const list = await viewer.call('GET', PROVIDERS, undefined, { on: local });
    expect(list.json()).toMatchObject({
      details: { totalResult: '3' },
      result: [{ id }, { id: 'config-smtp', source: 'configuration' }, { id: 'config-twilio' }],
    });
    expect(list.body).not.toContain('config-pass-1');
    expect(list.body).not.toContain(AUTH_TOKEN);
    const page = await viewer.call('GET', `${PROVIDERS}?offset=2&limit=5`, undefined, { on: local });
    expect(page.json()).toMatchObject({ details: { totalResult: '3' }, result: [{ id: 'config-twilio' }] });
    expect(await found('config-smtp', local)).toMatchObject({ user: 'svc', tls: 'opportunistic' });
    const refused = errorBody(9, 'Provider is set in the configuration', 'NOTIF-Pv1cf');
    const change = (method: Method, path: string, body?: unknown) =>
      root.call(method, `${PROVIDERS}/config-smtp${path}`, body, { on: local });
    expect((await change('DELETE', '')).json()).toEqual(refused);
    expect((await change('POST', '/_deactivate', {})).json()).toEqual(refused);
    expect((await change('PUT', '', SMTP)).json()).toEqual(refused);
    expect((await viewer.call('GET', `${PROVIDERS}/config-smtp`)).json()).toEqual(NOT_FOUND);
  });
});

describe('a test message', () => {
  const test = (id: string, to: string, headers: Record<string, string> = {}) =>
    root.call('POST', `${PROVIDERS}/${id}/_test`, { to }, { headers, on: local });

  it('goes out through a provider that is not active yet, and tells what the provider said', async () => {
    const { port } = new URL(smtp.url);
    const body = { ...SMTP, host: '127.0.0.1', port: Number(port), tls: 'none' };
    const id = await added({ ...body, user: undefined, password: undefined }, local);
    smtp.replies = { '.': '250 Ok: queued as Q1' };
    expect((await test(id, 'ada@mail.test')).json()).toEqual({ accepted: true, providerMessageId: 'Q1' });
    smtp.replies = { RCPT: '550 5.1.1 unknown user ada' };
    expect((await test(id, 'ada@mail.test')).json()).toEqual({
      accepted: false,
      reason: 'smtp_550',
      failure: 'terminal',
      said: '550 5.1.1 unknown user ada',
      host: '127.0.0.1',
      port: Number(port),
    });
    const { rows } = await api.sql.query<{ data: object }>(
      `SELECT data FROM events WHERE aggregate_id = $1 AND type = 'notification_provider.tested' ORDER BY position`,
      [id],
    );
    expect(rows).toEqual([{ data: { accepted: true } }, { data: { accepted: false, reason: 'smtp_550' } }]);
    expect(JSON.stringify(rows)).not.toContain('ada');
  });

  it('ends the pause of a provider that takes it, and of no other', async () => {
    const { port } = new URL(smtp.url);
    const body = { ...SMTP, host: '127.0.0.1', port: Number(port), tls: 'none' };
    const id = await added({ ...body, user: undefined, password: undefined }, local);
    await api.sql.query(
      `INSERT INTO notification_provider_health (provider_id, version, failures, openings, open_until, paused, reason)
       SELECT id, sequence::text, 7, 0, app_now() + interval '1 hour', true, 'smtp_535'
       FROM notification_providers WHERE id = $1`,
      [id],
    );
    const paused = async () => {
      const query = `SELECT paused, failures, open_until IS NOT NULL AS held FROM notification_provider_health
                     WHERE provider_id = $1`;
      return (await api.sql.query<object>(query, [id])).rows[0];
    };
    smtp.replies = { RCPT: '550 5.1.1 unknown user ada' };
    expect((await test(id, 'ada@mail.test')).json()).toMatchObject({ accepted: false });
    expect(await paused()).toEqual({ paused: true, failures: 7, held: true });
    smtp.replies = {};
    expect((await test(id, 'ada@mail.test')).json()).toMatchObject({ accepted: true });
    expect(await paused()).toEqual({ paused: false, failures: 0, held: false });
    const { rows } = await api.sql.query<{ type: string; actor_id: string }>(
      `SELECT type, actor_id FROM events WHERE aggregate_id = $1 AND type = 'notification_provider.resumed'`,
      [id],
    );
    expect(rows).toEqual([{ type: 'notification_provider.resumed', actor_id: root.userId }]);
  });

  it('says when the account is refused, without the secret', async () => {
    smtp.replies = { EHLO: '250-sink\r\n250 AUTH PLAIN', AUTH: '535 bad credentials' };
    const response = await test('config-smtp', 'ada@mail.test');
    expect(response.json()).toMatchObject({ accepted: false, reason: 'smtp_535', retryAfter: '300s' });
    expect(response.body).not.toContain('config-pass-1');
    const id = await added({ ...MESSAGES, authToken: 'not the right one' }, local);
    const refused = await test(id, '+41791234567');
    expect(refused.json()).toEqual({
      accepted: false,
      reason: 'twilio_20003',
      failure: 'retryable',
      retryAfter: '300s',
      said: 'Refused',
      host: '127.0.0.1',
      port: expect.any(Number) as number,
    });
  });

  it('may be an SMS, and is sent once for a key that is used twice', async () => {
    const headers = { 'idempotency-key': randomToken(8) };
    const before = twilio.to('+41797654321').length;
    const first = await test('config-twilio', '+41 79 765 43 21', headers);
    expect(first.json()).toMatchObject({ accepted: true });
    expect((await test('config-twilio', '+41 79 765 43 21', headers)).body).toBe(first.body);
    expect(twilio.to('+41797654321')).toHaveLength(before + 1);
  });

  it('is sent once when a key is used twice at once, on two replicas', async () => {
    const to = '+41797654399';
    const headers = { 'idempotency-key': randomToken(8) };
    let arrived = (): void => undefined;
    let release = (): void => undefined;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    twilio.verdict = async () => {
      arrived();
      await released;
      return 'accept' as const;
    };
    const other = await startTestApi(local.environment, local);
    const send = async (on: TestApi, number = to) =>
      await root.call('POST', `${PROVIDERS}/config-twilio/_test`, { to: number }, { headers, on });
    try {
      const first = send(local);
      await arrival;
      for (const on of [local, other]) {
        const second = await send(on);
        expect(second.statusCode).toBe(409);
        expect(second.headers['retry-after']).toBe('1');
      }
      expect((await send(other, '+41797654398')).statusCode).toBe(422);
      release();
      const { statusCode, body } = await first;
      expect(statusCode).toBe(200);
      expect((await send(other)).body).toBe(body);
      expect(twilio.requests.filter((request) => request.to === to)).toHaveLength(1);
    } finally {
      release();
      await other.close();
    }
  });

  it('may be tried again under its key when nothing was sent, and later when nobody could write down that it was', async () => {
    const to = '+41797654397';
    const caller = await aServiceUser(world, 'IAM_OWNER');
    const send = async (key: string) =>
      await caller.call(
        'POST',
        `${PROVIDERS}/config-twilio/_test`,
        { to },
        { headers: { 'idempotency-key': key }, on: local },
      );
    const sent = () => twilio.requests.filter((request) => request.to === to).length;
    const unlucky = randomToken(8);
    await api.sql.query('ALTER TABLE events RENAME TO events_away');
    try {
      expect((await send(unlucky)).statusCode).toBe(500);
    } finally {
      await api.sql.query('ALTER TABLE events_away RENAME TO events');
    }
    expect((await send(unlucky)).statusCode).toBe(409);
    expect(sent()).toBe(1);
    await api.sql.query('UPDATE idempotency_keys SET expires_at = app_now() WHERE caller = $1', [
      caller.userId,
    ]);
    expect((await send(unlucky)).json()).toMatchObject({ accepted: true });
    expect((await send(unlucky)).json()).toMatchObject({ accepted: true });
    expect(sent()).toBe(2);

    for (let times = 2; times < 10; times += 1) await send(randomToken(8));
    const early = randomToken(8);
    expect((await send(early)).statusCode).toBe(429);
    await local.advance(121);
    expect((await send(early)).statusCode).toBe(200);
    expect(sent()).toBe(11);
  });

  it('needs an address for mail and a number for SMS', async () => {
    expect((await test('config-smtp', '+41791234567')).statusCode).toBe(400);
    expect((await test('config-twilio', 'ada@mail.test')).statusCode).toBe(400);
  });

  it('may be sent ten times a minute by one caller', async () => {
    const caller = await aServiceUser(world, 'IAM_OWNER');
    const send = () =>
      caller.call('POST', `${PROVIDERS}/config-twilio/_test`, { to: '+41790000001' }, { on: local });
    twilio.verdict = () => ({ status: 400, code: 21211 });
    const responses = await Promise.all(Array.from({ length: 12 }, send));
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(10);
    const refused = responses.filter(({ statusCode }) => statusCode === 429);
    expect(refused).toHaveLength(2);
    expect(refused[0]?.headers['retry-after']).toBeDefined();
  });
});

describe('what senders ask', () => {
  it('is the code of a provider that makes its own', async () => {
    const provider = await local.app.get(NotificationProvidersStore).findActive('config-twilio' as never);
    if (provider === undefined) throw new Error('no provider');
    const channels = local.app.get(ProviderChannels);
    await test('config-twilio', '+41790000009');
    const check = (code: string) => channels.checkCode(provider, { to: '+41790000009', code });
    expect(await check('000000')).toBe('wrong');
    expect(await check(twilio.codeOf('+41790000009'))).toBe('approved');
    expect(await check('000000')).toBe('ended');
  });

  const test = (id: string, to: string) =>
    root.call('POST', `${PROVIDERS}/${id}/_test`, { to }, { on: local });

  it('follows a change on another replica within two seconds, and on this one at once', async () => {
    const id = await activated(SMTP);
    await expect.poll(() => usable('email', local)).toEqual([id, 'config-smtp']);
    await root.call('POST', `${PROVIDERS}/${id}/_deactivate`, {});
    expect(await usable('email')).toEqual([]);
    await expect.poll(() => usable('email', local)).toEqual(['config-smtp']);
  });
});
