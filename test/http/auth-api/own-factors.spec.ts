import type { LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { Log } from '../../../src/domain/shared/log.js';
import { randomId } from '../../../src/domain/shared/random.js';
import { useReplica } from '../../support/api.js';
import { anOwnApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  obtainTokens,
  redirected,
  TestBrowser,
  userinfo,
} from '../../support/browser-flow.js';
import { call, errorBody, type Method } from '../../support/calls.js';
import { aTotpSecret, TestAuthenticator } from '../../support/factors.js';
import { given } from '../../support/given.js';
import { TEST_BILL } from '../../support/hashing.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anOwnApplication(world));

const AUDIENCE = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';
const WRONG = errorBody(3, 'Code is invalid', 'CODE-woT0xc');
const GONE = errorBody(9, 'No authenticator app is being added: start again', 'COMMAND-To4e2');

interface Begun {
  readonly secret: string;
  readonly uri: string;
  readonly qrCode: string;
}

async function signedIn(user: TestUser, browser = new TestBrowser(api)) {
  const { access_token: pat } = await obtainTokens(api, client, user, { scope: AUDIENCE }, browser);
  const me = (method: Method, path = '', body?: unknown, at = api): Promise<LightMyRequestResponse> =>
    call(at, method, `/auth/v1/users/me/factors${path}`, { pat, body });
  const begin = async () => (await me('POST', '/totp/_begin')).json<Begun>();
  const finish = (code: string, at = api) => me('POST', '/totp/_finish', { code }, at);
  return { me, begin, finish, pat, browser };
}
type SignedIn = Awaited<ReturnType<typeof signedIn>>;

async function anApp({ begin, finish }: SignedIn): Promise<TestAuthenticator> {
  const app = new TestAuthenticator((await begin()).secret);
  expect((await finish(app.code(api))).statusCode).toBe(200);
  return app;
}

async function toldTo(user: TestUser) {
  const { rows } = await api.sql.query(
    `SELECT (SELECT array_agg(template ORDER BY created_at) FROM notifications WHERE user_id = $1) AS mails,
       (SELECT jsonb_agg(jsonb_build_object('type', type, 'data', data) ORDER BY position) FROM events
        WHERE aggregate_id = $1 AND type ~ 'totp|factor|recovery_code') AS events`,
    [user.userId],
  );
  return rows[0] as object;
}

/** Signs in with the password, in a browser of its own; where it leads. */
async function passwordAlone(user: TestUser): Promise<string> {
  const answered = await new TestBrowser(api).signIn(codeRequest(client), user);
  return redirected(answered).has('code') ? 'signed in' : (answered.headers.location ?? '');
}

describe('an authenticator app', () => {
  it('is added by a code of it, asked for from then on, and removed', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    expect((await mine.me('GET')).json()).toMatchObject({ totp: false, recoveryCodes: 0 });
    const begun = await mine.begin();
    expect(begun.secret).toMatch(/^[A-Z2-7]{32}$/);
    const uri = new URL(begun.uri);
    expect(uri.protocol).toBe('otpauth:');
    expect(uri.searchParams.get('secret')).toBe(begun.secret);
    expect(decodeURIComponent(uri.pathname)).toContain(user.loginName);
    const picture = Buffer.from(begun.qrCode.replace('data:image/svg+xml;base64,', ''), 'base64').toString();
    expect(picture).toMatch(/^<svg [^]*<\/svg>$/);
    // a secret that reached no app locks nobody out
    expect(await passwordAlone(user)).toBe('signed in');

    const app = new TestAuthenticator(begun.secret);
    expect((await mine.finish(app.code(api))).json()).toMatchObject({
      details: { resourceOwner: world.orgId },
    });
    expect((await mine.me('GET')).json()).toMatchObject({ totp: true, recoveryCodes: 0 });
    expect(await passwordAlone(user)).toMatch(/^\/login\/second-factor/);
    // whoever set it up has shown it by that
    expect(redirected(await mine.browser.get(authorize())).has('code')).toBe(true);

    expect((await mine.me('DELETE', '/totp')).statusCode).toBe(200);
    expect((await mine.me('DELETE', '/totp')).json()).toEqual(
      errorBody(5, 'There is no authenticator app', 'QUERY-To9w4'),
    );
    expect(await passwordAlone(user)).toBe('signed in');
    expect((await userinfo(api, mine.pat)).statusCode).toBe(200);
    const told = await toldTo(user);
    expect(told).toEqual({
      mails: ['factor_added', 'factor_removed'],
      events: [
        { type: 'user.human.totp.added', data: { replaced: false } },
        { type: 'user.human.totp.removed', data: {} },
      ],
    });
    expect(JSON.stringify(told)).not.toContain(begun.secret);
  });

  it('is kept sealed, before and after', async () => {
    const mine = await signedIn(await aUser(world));
    const { secret } = await mine.begin();
    const kept = async () =>
      JSON.stringify(
        (
          await api.sql.query(
            `SELECT encode(secret_sealed, 'escape') AS sealed FROM totp_enrolments
             UNION ALL SELECT encode(secret_sealed, 'escape') FROM user_totp_secrets`,
          )
        ).rows,
      );
    expect(await kept()).not.toContain(secret);
    await mine.finish(new TestAuthenticator(secret).code(api));
    expect(await kept()).not.toContain(secret);
  });

  it('is asked for with none of the codes that added it, nor with one before', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    const app = await anApp(mine);
    const { rows } = await api.sql.query<{ last_step: string }>(
      'SELECT last_step FROM user_totp_secrets WHERE user_id = $1',
      [user.userId],
    );
    const answered = await new TestBrowser(api).signIn(codeRequest(client), user);
    expect(answered.headers.location).toMatch(/^\/login\/second-factor/);
    expect(Number(rows[0]?.last_step)).toBeGreaterThan(0);
    // the same code does not add it once more
    expect((await mine.finish(app.code(api))).json()).toEqual(GONE);
  });

  it('takes the place of the one before, whose codes are worth nothing', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    const old = await anApp(mine);
    await api.advance(90);
    await replica.advance(90);
    await anApp(mine);
    expect(await toldTo(user)).toMatchObject({
      mails: ['factor_added', 'factor_added'],
      events: [{ data: { replaced: false } }, { data: { replaced: true } }],
    });
    const { rows } = await api.sql.query('SELECT user_id FROM user_totp_secrets WHERE user_id = $1', [
      user.userId,
    ]);
    expect(rows).toHaveLength(1);
    expect((await mine.finish(old.code(api))).statusCode).toBe(400);
  });

  it.each([
    ['POST', '/totp/_begin', undefined],
    ['POST', '/totp/_finish', { code: '123456' }],
    ['DELETE', '/totp', undefined],
  ] as const)('needs a fresh sign-in: %s %s', async (method, path, body) => {
    const mine = await signedIn(await aUser(world));
    await mine.begin();
    await api.advance(601);
    const response = await mine.me(method, path, body);
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toContain('insufficient_user_authentication');
  });

  it('is none of an organization whose policy does not list it', async () => {
    const mine = await signedIn(await aUser(world));
    await api.sql.query(
      `INSERT INTO factor_policies (org_id, is_set, kinds) VALUES ($1, true, '{passkey}')`,
      [world.orgId],
    );
    expect((await mine.me('POST', '/totp/_begin')).json()).toEqual(
      errorBody(9, 'The organization does not use authenticator apps', 'COMMAND-To3k8'),
    );
    await api.sql.query('DELETE FROM factor_policies WHERE org_id = $1', [world.orgId]);
  });
});

describe('an enrolment', () => {
  it('is finished once, of several at the same moment on two replicas', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    const app = new TestAuthenticator((await mine.begin()).secret);
    const code = app.code(api);
    const answers = await Promise.all([api, replica, api, replica].map((at) => mine.finish(code, at)));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400, 400, 400]);
    expect((await mine.finish(code)).json()).toEqual(GONE);
    expect(await toldTo(user)).toMatchObject({ mails: ['factor_added'] });
  });

  it('is over when another one is begun, or after ten minutes', async () => {
    const mine = await signedIn(await aUser(world));
    const first = new TestAuthenticator((await mine.begin()).secret);
    const second = new TestAuthenticator((await mine.begin()).secret);
    expect((await mine.finish(first.code(api))).json()).toEqual(WRONG);
    await api.sql.query(`UPDATE totp_enrolments SET expires_at = app_now()`);
    expect((await mine.finish(second.code(api))).json()).toEqual(GONE);
  });

  it('is nothing to another user, and nothing to another session of the same', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    const app = new TestAuthenticator((await mine.begin()).secret);
    const other = await signedIn(await aUser(world));
    const elsewhere = await signedIn(user);
    expect((await other.finish(app.code(api))).json()).toEqual(GONE);
    expect((await elsewhere.finish(app.code(api))).json()).toEqual(GONE);
    expect((await mine.finish(app.code(api))).statusCode).toBe(200);
  });

  it('counts wrong codes with wrong passwords, and forgives none by a right one', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    const app = new TestAuthenticator((await mine.begin()).secret);
    const failures = async () =>
      (
        await api.sql.query<{ count: number }>(
          'SELECT attempts - forgiven AS count FROM password_attempts WHERE user_id = $1',
          [user.userId],
        )
      ).rows[0]?.count;
    const before = (await failures()) ?? 0;
    expect((await mine.finish('000000')).json()).toEqual(WRONG);
    expect((await mine.finish('nonsense')).json()).toEqual(WRONG);
    expect(await failures()).toBe(before + 2);
    expect((await mine.finish(app.code(api))).statusCode).toBe(200);
    expect(await failures()).toBe(before + 2);
  });

  it('does not make up in a session for the factor that it lacks', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    // an import brings a secret: the session has never shown a code of it
    await aTotpSecret(api, user.userId);
    await anApp(mine);
    expect(redirected(await mine.browser.get(authorize())).has('code')).toBe(false);
  });

  it('goes with the user', async () => {
    const user = await aUser(world);
    await (await signedIn(user)).begin();
    await api.sql.query('DELETE FROM users WHERE id = $1', [user.userId]);
    const { rows } = await api.sql.query('SELECT user_id FROM totp_enrolments WHERE user_id = $1', [
      user.userId,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('recovery codes', () => {
  const FACTOR_FIRST = errorBody(9, 'Set up a second factor first', 'COMMAND-Rc5n2');
  const make = async ({ me }: SignedIn) => (await me('POST', '/recovery-codes')).json<{ codes: string[] }>();
  /** By the page that asks for a second factor. @returns whether it let somebody in */
  const use = async (user: TestUser, code: string, at = api) => {
    const browser = new TestBrowser(at);
    const { headers } = await browser.signIn(codeRequest(client), user);
    const page = await browser.get(`${headers.location ?? ''}&kind=recovery-code`);
    const answered = await browser.post('/login/second-factor', { ...hiddenFields(page.body), code });
    return redirected(answered).has('code');
  };

  it('are ten, each good once, and kept by their hashes alone', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    await anApp(mine);
    const { codes } = await make(mine);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[A-HJ-NP-Z2-9]{5}-[A-HJ-NP-Z2-9]{5}$/);
    expect((await mine.me('GET')).json()).toMatchObject({ totp: true, recoveryCodes: 10 });
    const { rows } = await api.sql.query('SELECT hash FROM user_recovery_codes WHERE user_id = $1', [
      user.userId,
    ]);
    const [first = '', second = ''] = codes;
    expect(JSON.stringify(rows)).not.toContain(first.replace('-', ''));
    expect(await use(user, first.toLowerCase())).toBe(true);
    expect(await use(user, first)).toBe(false);
    const both = await Promise.all([use(user, second), use(user, second, replica)]);
    expect(both.toSorted()).toEqual([false, true]);
    expect((await mine.me('GET')).json()).toMatchObject({ totp: true, recoveryCodes: 8 });
    const told = await toldTo(user);
    expect(told).toMatchObject({
      mails: ['factor_added', 'recovery_codes_made', 'recovery_code_used', 'recovery_code_used'],
    });
    for (const code of codes) expect(JSON.stringify(told)).not.toContain(code);
  });

  it('take the place of all that were there before, imported ones among them', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    await anApp(mine);
    await api.sql.query(
      `INSERT INTO user_recovery_codes (user_id, org_id, hash) VALUES ($1, $2, '$imported$')`,
      [user.userId, user.orgId],
    );
    const [old = ''] = (await make(mine)).codes;
    const [next = ''] = (await make(mine)).codes;
    expect((await mine.me('GET')).json()).toMatchObject({ recoveryCodes: 10 });
    expect(await use(user, old)).toBe(false);
    expect(await use(user, next)).toBe(true);
  });

  it('are for whoever has a factor, and go with the last one', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    expect((await mine.me('POST', '/recovery-codes')).json()).toEqual(FACTOR_FIRST);
    await anApp(mine);
    await make(mine);
    await mine.me('DELETE', '/totp');
    expect((await mine.me('GET')).json()).toMatchObject({ totp: false, recoveryCodes: 0 });
  });

  it('need a fresh sign-in', async () => {
    const mine = await signedIn(await aUser(world));
    await anApp(mine);
    await api.advance(601);
    expect((await mine.me('POST', '/recovery-codes')).statusCode).toBe(401);
  });
});

describe('what stands in logs, events, jobs and addresses', () => {
  it('is none of it: no secret, no code, used or not', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const log = api.app.get(Log, { strict: false });
    const before: unknown = Reflect.get(log, 'logger');
    Reflect.set(log, 'logger', logger);
    const user = await aUser(world);
    const mine = await signedIn(user);
    const { secret, uri, qrCode } = await mine.begin();
    const app = new TestAuthenticator(secret);
    const code = app.code(api);
    await mine.finish('654321');
    await mine.finish(code);
    const { codes } = (await mine.me('POST', '/recovery-codes')).json<{ codes: string[] }>();
    const browser = new TestBrowser(api);
    const { headers } = await browser.signIn(codeRequest(client), user);
    const page = await browser.get(`${headers.location ?? ''}&kind=recovery-code`);
    const used = await browser.post('/login/second-factor', {
      ...hiddenFields(page.body),
      code: codes[0] ?? '',
    });
    Reflect.set(log, 'logger', before);
    const { rows } = await api.sql.query(
      `SELECT data::text AS text FROM events UNION ALL SELECT fields::text FROM events
       UNION ALL SELECT payload::text FROM outbox`,
    );
    expect(lines.length).toBeGreaterThan(0);
    const told = [...lines, JSON.stringify(rows), used.headers.location ?? ''].join('\n');
    for (const hidden of [
      secret,
      uri,
      qrCode,
      '654321',
      ...codes,
      ...codes.map((one) => one.replace('-', '')),
    ]) {
      expect(told).not.toContain(hidden);
    }
  });
});

describe('somebody who is imported with factors', () => {
  const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

  it('is asked for the code of their app, as it was made elsewhere, and may show a recovery code', async () => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    const hash = await api.app.get(PasswordHashing).hash('Their-Code-2', TEST_BILL);
    const userName = `imported-${randomId()}`;
    const made = await owner.call('POST', 'users/human/_import', {
      userName,
      profile: { firstName: 'Ada', lastName: 'Lovelace' },
      email: { email: `${userName}@mail.test`, isEmailVerified: true },
      password: PASSWORD,
      otpCode: `otpauth://totp/Old:ada?secret=${secret}&algorithm=SHA256&digits=8&period=60`,
      recoveryCodes: [{ raw: 'old-code-1' }, { hash }],
    });
    expect(made.statusCode).toBe(200);
    const { userId } = made.json<{ userId: UserId }>();
    const user = { userId, orgId: world.orgId, userName, loginName: `${userName}@${world.domain}` };
    const shows = async (kind: string, code: string) => {
      const browser = new TestBrowser(api);
      const { headers } = await browser.signIn(codeRequest(client), user);
      expect(headers.location).toMatch(/^\/login\/second-factor/);
      const page = await browser.get(`${headers.location ?? ''}&kind=${kind}`);
      const answered = await browser.post('/login/second-factor', { ...hiddenFields(page.body), code });
      return redirected(answered).has('code');
    };
    const app = new TestAuthenticator(secret, { algorithm: 'SHA256', digits: 8, period: 60 });
    expect(await shows('totp', app.code(api))).toBe(true);
    expect(await shows('recovery-code', 'OLD CODE 1')).toBe(true);
    expect(await shows('recovery-code', 'Their-Code-2')).toBe(true);
    expect(await shows('recovery-code', 'Their-Code-2')).toBe(false);
    const { rows } = await api.sql.query(
      `SELECT fields FROM events WHERE aggregate_id = $1 AND type = 'user.human.imported'`,
      [userId],
    );
    expect(rows[0]).toMatchObject({
      fields: expect.arrayContaining(['totpSecret', 'recoveryCodes']) as unknown,
    });
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('has codes sent by e-mail, while the address is verified', async () => {
    const asked = async (isEmailVerified: boolean) => {
      const userName = `imported-${randomId()}`;
      const email = { email: `${userName}@mail.test`, isEmailVerified };
      const profile = { firstName: 'Ada', lastName: 'Lovelace' };
      const body = { userName, profile, email, password: PASSWORD, codeFactors: ['email'] };
      const made = await owner.call('POST', 'users/human/_import', body);
      const { userId } = made.json<{ userId: UserId }>();
      const { json } = await owner.call('GET', `users/${userId}/factors`);
      return json<{ email: boolean }>().email;
    };
    expect(await asked(true)).toBe(true);
    expect(await asked(false)).toBe(false);
  });

  it('gets none by a call that makes users anew', async () => {
    const refused = await owner.call('POST', 'users/human', {
      userName: `made-${randomId()}`,
      profile: { firstName: 'Ada', lastName: 'Lovelace' },
      email: { email: 'made@mail.test' },
      otpCode: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    });
    expect(refused.json()).toEqual({ code: 3, message: 'otpCode is not supported' });
  });
});

describe('a manager', () => {
  const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

  it('removes the app of a user, which signs them out, and none of their own', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    await anApp(mine);
    const path = `users/${user.userId}/factors/totp`;
    expect((await owner.call('DELETE', path)).statusCode).toBe(200);
    expect((await owner.call('DELETE', path)).statusCode).toBe(404);
    expect((await userinfo(api, mine.pat)).statusCode).toBe(401);
    expect(await toldTo(user)).toMatchObject({ mails: ['factor_added', 'factor_removed'] });
    expect((await owner.call('DELETE', `users/${owner.userId}/factors/totp`)).json()).toEqual(
      errorBody(9, 'Somebody else must reset your factors', 'COMMAND-Fr3s1'),
    );
  });
});

function authorize(): string {
  return authorizeUrl(codeRequest(client, { prompt: 'none' }));
}
