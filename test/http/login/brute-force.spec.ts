import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { HashingOverloaded, HashingPool } from '../../../src/domain/passwords/hashing/hashing-pool.js';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import { Clock } from '../../../src/domain/shared/clock.js';
import { Log } from '../../../src/domain/shared/log.js';
import { Metrics } from '../../../src/ops/metrics.js';
import { useReplica, type TestApi } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  obtainTokens,
  redirected,
  refreshTokens,
  TestBrowser,
  userinfo,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { seenFromOutside } from '../../support/seen-from-outside.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld, type World } from '../../support/world.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * Nothing listens there, so each replica counts addresses for itself: a busy test machine keeps Redis from answering in
 * its 50 ms, and the count would then go on in another place in the middle of a test.
 */
const COUNT_LOCALLY = { REDIS_URL: 'redis://127.0.0.1:1' };

interface Stage {
  readonly api: TestApi;
  readonly world: World;
  readonly client: TestClient;
}

function useStage(environment: Readonly<Record<string, string>> = {}): Stage {
  const { api, world } = useWorld(environment);
  return { api, world, client: given(() => anApplication(world)) };
}

/** The sign-in form of a browser of its own, which can be sent again and again. */
async function openForm({ api, client }: Stage) {
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(client));
  return (loginName: string, password: string, headers: Record<string, string> = {}) =>
    browser.post('/login', { ...fields, loginName, password }, headers);
}

/** What the service logs from now on, at its most talkative. */
function listen(api: TestApi): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  Reflect.set(api.app.get(Log, { strict: false }), 'logger', pino({ level: 'trace' }, sink));
  return lines;
}

/** Moves replicas on to where a minute begins, so that no test is cut in two by the turn of one. */
async function startOfMinute(...replicas: TestApi[]): Promise<void> {
  const [first] = replicas;
  if (first === undefined) return;
  const intoMinute = (first.app.get(Clock, { strict: false }).nowMs() / 1000) % 60;
  for (const replica of replicas) await replica.advance(60 - intoMinute);
}

const metric = async (api: TestApi, line: string): Promise<number> => {
  const text = await api.app.get(Metrics, { strict: false }).render();
  const found = text.split('\n').find((one) => one.startsWith(`${line} `));
  return Number(found?.split(' ').at(-1) ?? 0);
};

describe('one user, many passwords', () => {
  const here = useStage();
  const { api } = here;

  const tryToSignIn = async (user: TestUser, password = PASSWORD) =>
    await (
      await openForm(here)
    )(user.loginName, password);

  /** Wrong passwords until the policy has counted that many, with whatever must be waited in between. */
  async function fail(user: TestUser, times: number): Promise<void> {
    for (let failure = 1; failure <= times; failure += 1) {
      await tryToSignIn(user, `wrong ${failure}`);
      if (failure < times) await api.advance(32);
    }
  }

  it('the tenth wrong one locks: then the right one is refused too, in the same words, until the time is over (S045)', async () => {
    const user = await aUser(here.world);
    const unknown = { ...user, loginName: user.loginName.replace(/^user/, 'resu') };
    const wrong = await tryToSignIn(user, 'wrong');
    await api.advance(32);
    await fail(user, 9);
    const metricBefore = await metric(api, 'identity_sign_in_refusals_total{reason="blocked"}');
    const seen = new Set([
      seenFromOutside(wrong, user.loginName),
      seenFromOutside(await tryToSignIn(unknown), unknown.loginName),
      seenFromOutside(await tryToSignIn(user), user.loginName),
    ]);
    await api.advance(890);
    seen.add(seenFromOutside(await tryToSignIn(user), user.loginName));
    expect([...seen]).toHaveLength(1);
    expect(await metric(api, 'identity_sign_in_refusals_total{reason="blocked"}')).toBe(metricBefore + 2);
    expect(await metric(api, 'identity_password_locks_total')).toBeGreaterThan(0);

    await api.advance(10);
    expect((await tryToSignIn(user)).statusCode).toBe(303);
    // and the count is gone with it
    await fail(user, 4);
    expect((await tryToSignIn(user)).statusCode).toBe(303);
  });

  it('four mistakes have no consequence, and none that is older than a day', async () => {
    const user = await aUser(here.world);
    await fail(user, 4);
    expect((await tryToSignIn(user)).statusCode).toBe(303);
    await fail(user, 9);
    await api.advance(86_400);
    await fail(user, 4);
    expect((await tryToSignIn(user)).statusCode).toBe(303);
  });

  it('a user whom somebody locks out for an hour stays signed in where they are (S047)', async () => {
    const user = await aUser(here.world);
    const browser = new TestBrowser(api);
    const tokens = await obtainTokens(api, here.client, user, {}, browser);
    await fail(user, 10);
    for (let minute = 0; minute < 60; minute += 5) {
      await api.advance(300);
      await tryToSignIn(user, `wrong ${minute}`);
    }
    expect((await tryToSignIn(user)).statusCode).toBe(400);

    const silent = await browser.get(authorizeUrl(codeRequest(here.client, { prompt: 'none' })));
    expect(redirected(silent).has('code')).toBe(true);
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(200);
    expect((await refreshTokens(api, here.client, tokens)).statusCode).toBe(200);

    // refused attempts lengthen nothing: it is over a quarter of an hour after the last one that was evaluated
    await api.advance(900);
    expect((await tryToSignIn(user)).statusCode).toBe(303);
  });

  it('a lock of one user is no other’s', async () => {
    const user = await aUser(here.world);
    const other = await aUser(here.world);
    await fail(user, 10);
    expect((await tryToSignIn(other)).statusCode).toBe(303);
  });

  it('looks and costs the same for every kind of hash, for nobody, and for a user who must wait (S044)', async () => {
    const hashes = {
      pbkdf2: '$pbkdf2-sha256$12$cmFuZG9tc2FsdGlzaGFyZA$OFvEcLOIPFd/oq8egf10i.qJLI7A8nDjPLnolCWarQY',
      bcrypt: '$2b$04$bIRGj4QPPoSUMWsJE.4Pk.T1qTpDWz7HhMnuiQhGzGinKPsx/HQdq',
      argon2i:
        '$argon2i$v=19$m=64,t=2,p=1$cmFuZG9tc2FsdGlzaGFyZA$YMvo8AUoNtnKYGqeODruCjHdiEbl1pKL2MsYy9VgU/E',
    };
    const cases: [string, string][] = [];
    for (const [scheme, hash] of Object.entries(hashes)) {
      const user = await aUser(here.world);
      await api.sql.query('UPDATE user_passwords SET hash = $2, scheme = $3 WHERE user_id = $1', [
        user.userId,
        hash,
        scheme,
      ]);
      cases.push([scheme, user.loginName]);
    }
    const native = await aUser(here.world);
    const waiting = await aUser(here.world);
    await fail(waiting, 10);
    cases.push(
      ['native', native.loginName],
      ['unknown', native.loginName.replace(/^user/, 'resu')],
      ['waiting', waiting.loginName],
    );
    const verify = vi.spyOn(api.app.get(PasswordHashing), 'verify');
    const seen = new Set<string>();
    for (const [kind, loginName] of cases) {
      for (let round = 0; round < 3; round += 1) {
        verify.mockClear();
        const response = await (await openForm(here))(loginName, 'wrong');
        expect(response.statusCode, kind).toBe(400);
        expect(verify, kind).toHaveBeenCalledTimes(1);
        seen.add(seenFromOutside(response, loginName));
      }
    }
    expect([...seen]).toHaveLength(1);
  });

  it('refuses a planted hash of 2,000,000,000 rounds by its cap, and tells of it (S050)', async () => {
    const user = await aUser(here.world);
    const planted =
      '$pbkdf2-sha256$2000000000$TWFya2VyLXNhbHQtMTIzNA$7Wdqx95oWcqXyj55oZxbzrq6oiOvI6nJMYPq/OqNR/E';
    await api.sql.query('UPDATE user_passwords SET hash = $2 WHERE user_id = $1', [user.userId, planted]);
    const lines = listen(api);
    const processor = process.cpuUsage();
    const response = await tryToSignIn(user, 'password');
    const { user: userMicros } = process.cpuUsage(processor);
    expect(response.statusCode).toBe(400);
    // 2,000,000,000 rounds are more than ten minutes
    expect(userMicros).toBeLessThan(60_000_000);
    expect(lines.filter(({ level }) => level === 50)).toMatchObject([
      { msg: 'stored password hash refused', userId: user.userId, rule: 'cost-too-high' },
    ]);
    const log = JSON.stringify(lines);
    expect(log).not.toContain('2000000000');
    expect(log).not.toContain('7Wdqx95oWcqXyj55oZxb');
  });
});

describe('one address, many spellings', () => {
  const LIMIT = 10;

  const trusting = useStage({
    ...COUNT_LOCALLY,
    RATE_LIMIT_SIGN_IN: String(LIMIT),
    TRUSTED_PROXIES: '127.0.0.1',
  });
  const plain = useStage({ ...COUNT_LOCALLY, RATE_LIMIT_SIGN_IN: String(LIMIT) });

  /** Guesses one after the other, each with the header that the given forwarded address makes; their statuses. */
  async function guessFrom(from: Stage, forwarded: readonly string[]): Promise<number[]> {
    await startOfMinute(from.api);
    const send = await openForm(from);
    const statuses: number[] = [];
    for (const [index, addresses] of forwarded.entries()) {
      const answer = await send(`nobody-${index}`, 'wrong', { 'x-forwarded-for': addresses });
      if (answer.statusCode === 429) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      statuses.push(answer.statusCode);
    }
    return statuses;
  }

  const expectOneBucket = (statuses: readonly number[]): void => {
    expect(statuses).toEqual([
      ...Array<number>(LIMIT).fill(400),
      ...Array<number>(statuses.length - LIMIT).fill(429),
    ]);
  };

  it('300 addresses of one IPv6 /64 are one source, the next /64 is another (S008)', async () => {
    const hex = (index: number) => (index * 7919).toString(16).padStart(8, '0');
    const within = Array.from(
      { length: 300 },
      (_, index) => `2001:db8:1:1::${hex(index).slice(0, 4)}:${hex(index).slice(4)}`,
    );
    expectOneBucket(await guessFrom(trusting, within));
    expect(await guessFrom(trusting, ['2001:db8:1:2::1'])).toEqual([400]);
  });

  it.each([
    [
      'IPv6 in upper case, compressed and written out',
      [
        '2001:db8:2::a',
        '2001:DB8:2::A',
        '2001:0db8:0002:0000:0000:0000:0000:000a',
        '2001:db8:2:0:0::a',
        '[2001:db8:2::a]:4711',
      ],
    ],
    [
      'IPv4 as it is, mapped into IPv6, and with a port',
      ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:C000:0207', '0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7:50123'],
    ],
  ])('%s is one source (S008)', async (_name, spellings) => {
    expectOneBucket(await guessFrom(trusting, Array(4).fill(spellings).flat() as string[]));
  });

  it('a forwarded header counts for nothing when no proxy is trusted (S009)', async () => {
    const spoofed = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? '127.0.0.1' : `198.51.100.${index}`,
    );
    expectOneBucket(await guessFrom(plain, spoofed));
  });

  it('behind a trusted proxy the last address it added counts, whatever stands before (S009)', async () => {
    const list = (index: number) =>
      [...Array.from({ length: 49 }, (_, hop) => `10.${index}.0.${hop}`), '127.0.0.1', '203.0.113.9'].join(
        ', ',
      );
    expectOneBucket(
      await guessFrom(
        trusting,
        Array.from({ length: 20 }, (_, index) => list(index)),
      ),
    );
    // somebody else behind the same proxy is not held liable
    expect(await guessFrom(trusting, ['203.0.113.9, 203.0.113.10'])).toEqual([400]);
  });
});

describe('one password, many names (S048)', () => {
  const ALARM = 40;
  let lines: Record<string, unknown>[];

  const environment = {
    ...COUNT_LOCALLY,
    RATE_LIMIT_SIGN_IN: '20',
    SIGN_IN_ALARM: String(ALARM),
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const here = useStage(environment);
  const replica = useReplica(here.api, environment);
  beforeAll(async () => {
    lines = listen(here.api);
    Reflect.set(
      replica.app.get(Log, { strict: false }),
      'logger',
      Reflect.get(here.api.app.get(Log, { strict: false }), 'logger'),
    );
  });

  const alarms = async () =>
    (
      await here.api.sql.query(
        `SELECT org_id, aggregate_type, actor_id, data FROM events WHERE type = 'instance.guessing_alarm'`,
      )
    ).rows;
  const from = (address: string) => ({ 'x-forwarded-for': address });

  it('stops one address at its limit, without an alarm for so few', async () => {
    await startOfMinute(here.api, replica);
    const send = await openForm(here);
    const statuses: number[] = [];
    for (let name = 0; name < 25; name += 1) {
      statuses.push((await send(`spray-${name}`, 'Summer-2026!', from('192.0.2.1'))).statusCode);
    }
    expect(statuses.slice(0, 20)).toEqual(Array<number>(20).fill(400));
    expect(statuses.slice(20)).toEqual(Array<number>(5).fill(429));
    expect(await alarms()).toEqual([]);
  });

  it('raises one alarm for the instance when it comes from everywhere, and says nothing about anybody', async () => {
    await startOfMinute(here.api, replica);
    const victims = await Promise.all([aUser(here.world), aUser(here.world)]);
    const forms = [await openForm(here), await openForm({ ...here, api: replica })] as const;
    for (let name = 0; name < 100; name += 1) {
      const victim = victims[name % 8];
      const send = forms[name % 2 === 0 ? 0 : 1];
      const answer = await send(
        victim?.loginName ?? `spray-everywhere-${name}`,
        'Summer-2026!',
        from(`198.51.${name}.1`),
      );
      expect(answer.statusCode).toBe(400);
    }
    // both replicas had more than the threshold
    expect(await alarms()).toEqual([
      { org_id: null, aggregate_type: 'instance', actor_id: null, data: { refusalsPerMinute: ALARM } },
    ]);
    const warnings = lines.filter(({ msg }) => String(msg).includes('possible password guessing'));
    expect(warnings).toHaveLength(1);
    const told = JSON.stringify(warnings);
    for (const secret of ['198.51', 'spray', 'Summer', ...victims.map((victim) => victim.userId)]) {
      expect(told).not.toContain(secret);
    }
    const raised = [here.api, replica].map((api) => metric(api, 'identity_guessing_alarms_total'));
    expect((await Promise.all(raised)).reduce((sum, count) => sum + count)).toBe(1);
    expect(await metric(here.api, 'identity_sign_in_refusals_total{reason="unknown_name"}')).toBeGreaterThan(
      20,
    );
    expect(
      await metric(here.api, 'identity_sign_in_refusals_total{reason="wrong_password"}'),
    ).toBeGreaterThan(0);
  });

  it('is strict with addresses while it lasts, and lets people in all the same', async () => {
    const send = await openForm(here);
    const statuses: number[] = [];
    for (let name = 0; name < 8; name += 1) {
      statuses.push((await send(`spray-${name}`, 'Summer-2026!', from('192.0.2.2'))).statusCode);
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429, 429]);
    const person = await aUser(here.world);
    const honest = await openForm(here);
    expect((await honest(person.loginName, 'a typo', from('192.0.2.3'))).statusCode).toBe(400);
    expect((await honest(person.loginName, PASSWORD, from('192.0.2.3'))).statusCode).toBe(303);
    expect(await alarms()).toHaveLength(1);
  });
});

describe('more passwords than can be hashed (S049)', () => {
  const here = useStage({ PASSWORD_SLOTS: '1', PASSWORD_MEMORY_KIB: '19456', PASSWORD_ITERATIONS: '2' });

  // some hundred hashes, one after the other
  it(
    'are turned away with 503 and Retry-After, while other endpoints answer',
    { timeout: 240_000 },
    async () => {
      const { api, world, client } = here;
      const user = await aUser(world);
      const tokens = await obtainTokens(api, client, user);
      const hashing = api.app.get(PasswordHashing);
      const long = 'Aa1!'.repeat(256);
      expect(long).toHaveLength(1024);
      const send = await openForm(here);
      const begun = Promise.all(Array.from({ length: 300 }, (_, index) => send(`nobody-${index}`, long)));
      // enough of them to last: the first few are done before the others have come
      await expect.poll(() => hashing.waiting, { interval: 1 }).toBeGreaterThan(10);

      // at once: on a busy machine the line of hashes would be over before the last of them
      const others = await Promise.all([
        userinfo(api, tokens.access_token),
        api.app.inject('/oauth/v2/keys'),
        api.app.inject('/debug/healthz'),
        refreshTokens(api, client, tokens),
      ]);
      expect(others.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
      expect(hashing.waiting).toBeGreaterThan(0);

      const answers = await begun;
      const turnedAway = answers.filter((answer) => answer.statusCode === 503);
      expect(turnedAway.length).toBeGreaterThan(0);
      for (const answer of turnedAway) {
        expect(answer.body).toContain('Try again in a few seconds');
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      }
      expect(answers.filter((answer) => answer.statusCode === 400)).toHaveLength(300 - turnedAway.length);
    },
  );

  it('count against nobody', async () => {
    const { api, world } = here;
    const user = await aUser(world);
    const send = await openForm(here);
    vi.spyOn(HashingPool.prototype, 'run').mockRejectedValue(new HashingOverloaded());
    expect((await send(user.loginName, PASSWORD)).statusCode).toBe(503);
    const { rows } = await api.sql.query(
      'SELECT attempts - forgiven AS failures FROM password_attempts WHERE user_id = $1',
      [user.userId],
    );
    expect(rows).toEqual([{ failures: 0 }]);
  });
});
