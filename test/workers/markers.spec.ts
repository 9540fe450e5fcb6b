import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiProcess } from '../http/oidc/support/api-process.js';
import { broughtBy, ProcessBrowser } from '../http/oidc/support/process-browser.js';
import { anApplication } from '../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  IMPLICIT,
  implicitRequest,
  pkce,
  redemption,
  refreshRequest,
  type TokenAnswer,
} from '../support/browser-flow.js';
import { given } from '../support/given.js';
import { redisUrl } from '../support/redis.js';
import { aServiceUser } from '../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { eventually } from './support/eventually.js';
import { RedisMonitor } from './support/redis-monitor.js';
import { dumpRedis } from './support/redis-server.js';
import { plain, SmtpSink } from './support/smtp-sink.js';
import { WorkerProcess } from './support/worker-process.js';

// Everything that happens in a browser, once, through a real API process and a real worker, both as
// talkative as they get; then every secret that went in or came out is looked for wherever it must not be.

const WRONG = 'Marker-wrong-Passw0rd!';
const CHANGED = 'Marker-chang3d-Passw0rd!';
const RESET = 'Marker-r3set-Passw0rd!';

let sink: SmtpSink;
let api: ApiProcess;
let worker: WorkerProcess;
/** Every command that reaches Redis, with its values. */
let monitor: RedisMonitor;
/** Every secret that went in or came out, and what it is. */
const secrets = new Map<string, string>();

const { api: stage, world } = useWorld();
beforeAll(() => world.allowRegister());
const client = given(() => anApplication(world));
const implicit = given(() => anApplication(world, IMPLICIT));
beforeAll(async () => {
  // rows leave the outbox once they are handed over
  await stage.sql.query(`
    CREATE TABLE outbox_seen (row text);
    CREATE FUNCTION keep_outbox() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      $$ BEGIN INSERT INTO outbox_seen VALUES (to_jsonb(NEW)::text); RETURN NEW; END $$;
    CREATE TRIGGER keep_outbox BEFORE INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION keep_outbox()`);
  monitor = await RedisMonitor.start(redisUrl());
  sink = await SmtpSink.start();
});
// limits count in Redis, under keys that must not say more than they need to
const limits = { RATE_LIMIT_SIGN_IN: '1000', RATE_LIMIT_FLOW: '1000', RATE_LIMIT_TOKEN: '1000' };
// and so are the libraries (S201)
const talkative = { DEBUG: '*' };
beforeAll(async () => {
  api = await ApiProcess.spawn({ ...stage.environment, ...talkative, ...limits }, 'debug');
  worker = WorkerProcess.spawn({
    ...stage.environment,
    ...talkative,
    LOG_LEVEL: 'debug',
    SMTP_URL: `${sink.url}${sink.url.includes('?') ? '&' : '/?'}logger=true&debug=true&transactionLog=true`,
    DATABASE_POOL_SIZE: '4',
  });
  await Promise.all([api.untilReady(), worker.untilReady()]);
  for (const [what, value] of Object.entries({ PASSWORD, WRONG, CHANGED, RESET })) remember(what, value);
  remember('client secret', client.clientSecret);
  remember('state and nonce', 'Marker-state', 'Marker-nonce');
});

afterAll(async () => {
  monitor.stop();
  await api.stop();
  await worker.kill();
  await sink.stop();
});

function remember(what: string, ...values: (string | null | undefined)[]): void {
  for (const value of values) if (typeof value === 'string' && value !== '') secrets.set(value, what);
}

/** A browser whose secrets are remembered. */
class WatchedBrowser extends ProcessBrowser {
  async page(path: string): Promise<Record<string, string>> {
    const answer = await this.get(api, path);
    const fields = hiddenFields(answer.body);
    this.watch();
    remember('form token', fields['csrf']);
    remember('reset handle', fields['request']);
    return fields;
  }

  async submit(path: string, form: Record<string, string>) {
    const answer = await this.post(api, path, form);
    this.watch();
    const location = answer.headers.get('location') ?? '';
    const [, query = ''] = location.split(/[?#]/);
    const brought = new URLSearchParams(query);
    for (const name of ['code', 'access_token', 'id_token']) remember(name, brought.get(name));
    return { ...answer, location };
  }

  private watch(): void {
    for (const cookie of this.cookieHeader.split('; ')) remember('cookie', cookie.split('=')[1]);
  }
}

/** The page that a request leads to, and its form. */
async function begin(browser: WatchedBrowser, parameters: Record<string, string>) {
  const begun = await browser.get(api, authorizeUrl(parameters));
  return await browser.page(begun.headers.get('location') ?? '');
}

async function signIn(
  browser: WatchedBrowser,
  user: TestUser,
  password = PASSWORD,
  parameters: Record<string, string> = codeRequest(client),
) {
  const fields = await begin(browser, parameters);
  return await browser.submit('/login', { ...fields, loginName: user.loginName, password });
}

async function token(form: Record<string, string>): Promise<TokenAnswer> {
  const response = await fetch(`${api.url}/oauth/v2/token`, {
    method: 'POST',
    headers: basic(client),
    body: new URLSearchParams(form),
  });
  const tokens = (await response.json()) as TokenAnswer;
  remember('token', tokens.access_token, tokens.id_token, tokens.refresh_token);
  return tokens;
}

/** Link and code of the mail to an address that leads to this path; notices may arrive before it. */
async function mailed(to: string, path: string) {
  const link = new RegExp(`https://id\\.test(${path}\\?id=[\\w-]+&code=\\w+)`);
  const linkIn = (raw: string) => link.exec(plain(raw))?.[1];
  const url = await eventually(`mail with ${path}`, 15_000, () =>
    sink.to(to).reduce<string | undefined>((found, { raw }) => found ?? linkIn(raw), undefined),
  );
  const code = new URLSearchParams(url.split('?')[1]).get('code') ?? '';
  expect(code).not.toBe('');
  remember('mailed code', code);
  return { url, code };
}

describe('every secret', () => {
  it('of a sign-in, right and wrong, and of its tokens', async () => {
    const user = await aUser(world, { email: { address: 'marker-sign-in@mail.test', verified: true } });
    remember('address', 'marker-sign-in@mail.test');
    const browser = new WatchedBrowser();
    const { verifier, challenge } = pkce();
    remember('verifier', verifier, challenge.code_challenge);
    for (const password of [WRONG, '']) await signIn(browser, user, password);
    // people type passwords into the wrong field
    const fields = await begin(browser, codeRequest(client));
    await browser.submit('/login', { ...fields, loginName: WRONG, password: PASSWORD });
    const answered = await signIn(browser, user, PASSWORD, codeRequest(client, challenge));
    const code = broughtBy(answered).get('code') ?? '';
    const tokens = await token(redemption(code, { code_verifier: verifier }));
    const refreshed = await token(refreshRequest(tokens.refresh_token));
    await token(refreshRequest(`${refreshed.refresh_token}x`));
    await token(redemption(code, { code_verifier: verifier }));
    for (const accessToken of [tokens.access_token, `${tokens.access_token}x`]) {
      const headers = { authorization: `Bearer ${accessToken}` };
      await fetch(`${api.url}/oidc/v1/userinfo`, { headers });
      await fetch(`${api.url}/oidc/v1/userinfo?access_token=${accessToken}`);
    }
    await browser.get(api, `/oidc/v1/end_session?id_token_hint=${tokens.id_token}&state=Marker-state`);
    expect(tokens.refresh_token).toMatch(/./);
  });

  it('of tokens that travel through the browser, in the fragment and by form_post', async () => {
    const user = await aUser(world);
    const browser = new WatchedBrowser();
    const inFragment = await signIn(browser, user, PASSWORD, implicitRequest(implicit));
    expect(inFragment.location).toContain('#');
    for (const parameters of [
      implicitRequest(implicit, { response_mode: 'form_post' }),
      codeRequest(client, { response_mode: 'form_post' }),
    ]) {
      const fields = hiddenFields((await browser.get(api, authorizeUrl(parameters))).body);
      remember('form_post', fields['code'], fields['access_token'], fields['id_token']);
      expect(fields['state']).toBe('Marker-state');
    }
  });

  it('of a registration', async () => {
    const email = 'marker-newcomer@mail.test';
    remember('address', email);
    const browser = new WatchedBrowser();
    const form = await begin(browser, codeRequest(client, { prompt: 'create' }));
    const asked = await browser.submit('/register', {
      ...form,
      email,
      newPassword: PASSWORD,
    });
    expect(asked.location).toMatch(/^\/register\/verify/);
    const { code } = await mailed(email, '/register/verify');
    const fields = await browser.page(asked.location);
    const entered = await browser.submit('/register/verify', { ...fields, code });
    expect(broughtBy(entered).has('code')).toBe(true);
  });

  it('of a password that must be changed, and of an address that must be verified', async () => {
    const email = 'marker-unverified@mail.test';
    remember('address', email);
    const user = await aUser(world, { email: { address: email, verified: false } });
    await stage.sql.query(`UPDATE user_passwords SET change_required = true WHERE user_id = $1`, [
      user.userId,
    ]);
    const browser = new WatchedBrowser();
    const step = await signIn(browser, user);
    const change = await browser.page(step.location);
    const passwords = { newPassword: CHANGED, repeatPassword: CHANGED };
    await browser.submit('/login/change-password', { ...change, ...passwords, password: WRONG });
    const changed = await browser.submit('/login/change-password', {
      ...change,
      ...passwords,
      password: PASSWORD,
    });
    expect(changed.location).toMatch(/^\/login\/verify-email/);
    const { code } = await mailed(email, '/verify/email');
    const verify = await browser.page(changed.location);
    await browser.submit('/login/verify-email', { ...verify, code: 'AAAAAA' });
    const verified = await browser.submit('/login/verify-email', { ...verify, code });
    expect(broughtBy(verified).has('code')).toBe(true);
  });

  it('of a forgotten password', async () => {
    const email = 'marker-forgetful@mail.test';
    remember('address', email);
    const user = await aUser(world, { email: { address: email, verified: true } });
    const browser = new WatchedBrowser();
    const asked = await browser.page('/password/forgotten');
    await browser.submit('/password/forgotten', { ...asked, loginName: WRONG });
    const sent = await browser.submit('/password/forgotten', { ...asked, loginName: user.loginName });
    remember('reset handle', hiddenFields(sent.body)['request']);
    const { url, code } = await mailed(email, '/password/reset');
    const form = await browser.page(url);
    const passwords = { newPassword: RESET, repeatPassword: RESET };
    await browser.submit('/password/reset', { ...form, ...passwords, code: 'AAAAAA' });
    expect((await browser.submit('/password/reset', { ...form, ...passwords, code })).status).toBe(200);
    await eventually('the notice', 15_000, () => sink.to(email)[1]);
  });

  it('of a service user, by personal access token, with values that the database refuses (S201)', async () => {
    const { pat } = await aServiceUser(world, 'ORG_OWNER');
    remember('personal access token', pat);
    const ask = async (method: string, route: string, body?: unknown) =>
      await fetch(`${api.url}/management/v1/${route}`, {
        method,
        headers: { authorization: `Bearer ${pat}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    expect((await ask('GET', 'users/Marker-nobody')).status).toBe(404);
    const person = {
      userName: 'marker-imported',
      profile: { firstName: 'Marker-Ada', lastName: 'Marker-Lovelace' },
      email: { email: 'marker-imported@mail.test', isEmailVerified: true },
      password: PASSWORD,
    };
    expect((await ask('POST', 'users/human/_import', person)).status).toBe(200);
    expect((await ask('POST', 'users/human/_import', person)).status).toBe(409);
  });

  it('is as it should be in the tables: hashed', async () => {
    const { rows } = await stage.sql.query<{ hash: string }>(`
      SELECT hash FROM user_passwords UNION ALL SELECT encode(secret_hash, 'hex') FROM user_agents
      UNION ALL SELECT encode(hash, 'hex') FROM codes UNION ALL SELECT encode(hash, 'hex') FROM refresh_tokens
      UNION ALL SELECT encode(code_hash, 'hex') FROM verification_codes`);
    expect(rows.length).toBeGreaterThan(10);
    for (const { hash } of rows) {
      remember('hash', hash);
      if (/^[0-9a-f]+$/.test(hash)) remember('hash', Buffer.from(hash, 'hex').toString('base64'));
    }
    const kinds = new Set(secrets.values());
    for (const kind of [
      'cookie',
      'form token',
      'mailed code',
      'reset handle',
      'form_post',
      'token',
      'id_token',
    ]) {
      expect(kinds).toContain(kind);
    }
  });

  it.each<[string, () => Promise<string> | string]>([
    ['the log of the API', () => api.log],
    ['the log of the worker', () => worker.log],
    ['what Redis was told', () => monitor.commands.join('\n')],
    ['Redis', () => dumpRedis(redisUrl(), stage.config.queues.prefix)],
    ['the outbox', () => textOf(`SELECT row AS text FROM outbox_seen`)],
    ['the audit log', () => textOf(`SELECT to_jsonb(e)::text AS text FROM events e`)],
    ['the metrics of the API', () => api.ops('/metrics')],
    ['the metrics of the worker', async () => (await worker.ops('/metrics')).body],
  ])('is absent from %s, whole or in part (I6)', async (_name, read) => {
    const text = await read();
    // what is looked through is really it
    expect(text.length).toBeGreaterThan(200);
    const found = [...secrets].filter(
      ([secret]) => text.includes(secret) || (secret.length > 40 && text.includes(secret.slice(0, 32))),
    );
    expect(found.map(([, what]) => what)).toEqual([]);
    expect(/marker-/i.exec(text)?.[0]).toBeUndefined();
  });

  it('was looked for where something was told', async () => {
    expect(api.log.includes('"route":"/oauth/v2/token"')).toBe(true);
    expect(api.log.includes('"reason":"wrong password"')).toBe(true);
    expect(kindsOfDebug(api.log + worker.log)).not.toContain('ioredis');
    expect(worker.log.length).toBeGreaterThan(0);
    expect(monitor.commands.some((command) => command.includes(stage.config.queues.prefix))).toBe(true);
    const { rows } = await stage.sql.query(`SELECT 1 FROM outbox_seen`);
    expect(rows.length).toBeGreaterThanOrEqual(4);
  });
});

/** First parts of the namespaces that `debug` wrote something for. */
function kindsOfDebug(log: string): readonly string[] {
  return [...log.matchAll(/^\d{4}-\d\d-\d\dT[\d:.]+Z ([\w-]+)/gm)].flatMap(([, kind]) => kind ?? []);
}

async function textOf(query: string): Promise<string> {
  const { rows } = await stage.sql.query<{ text: string }>(query);
  return rows.map(({ text }) => text).join('\n');
}
