import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import { useReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { codeRequest, redirected, TestBrowser } from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { stopTime } from '../../support/stopped-time.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// Guesses that arrive at two replicas at once are counted in one place, before any of them is evaluated.

const { api: one, world } = useWorld();
const two = useReplica(one);
const client = given(() => anApplication(world));
beforeAll(() => stopTime(one.sql));
afterEach(() => {
  vi.restoreAllMocks();
});

/** Verifications of a user's own password; those that only cost time are not among them. */
async function countEvaluations(user: TestUser): Promise<() => number> {
  const { rows } = await one.sql.query<{ hash: string }>(
    'SELECT hash FROM user_passwords WHERE user_id = $1',
    [user.userId],
  );
  const spies = [one, two].map((api) => vi.spyOn(api.app.get(PasswordHashing), 'verify'));
  return () => spies.flatMap((spy) => spy.mock.calls).filter(([encoded]) => encoded === rows[0]?.hash).length;
}

async function guess(user: TestUser, times: number): Promise<void> {
  const forms = await Promise.all(
    Array.from({ length: times }, async (_, index) => {
      const browser = new TestBrowser(index % 2 === 0 ? one : two);
      return { browser, fields: await browser.openSignIn(codeRequest(client)) };
    }),
  );
  const answers = await Promise.all(
    forms.map(({ browser, fields }, index) =>
      browser.post('/login', { ...fields, loginName: user.loginName, password: `wrong ${index}` }),
    ),
  );
  expect(new Set(answers.map((answer) => answer.statusCode))).toEqual(new Set([400]));
}

describe('60 wrong passwords at once over two replicas (S045)', () => {
  it('are evaluated as often as the policy allows, and never more', async () => {
    const user = await aUser(world);
    const evaluations = await countEvaluations(user);
    await guess(user, 60);
    expect(evaluations()).toBe(5);
    // each wait lets one more through, and the tenth failure locks
    for (const [seconds, inAll] of [
      [1, 5],
      [1, 6],
      [4, 7],
      [8, 8],
      [16, 9],
      [32, 10],
      [32, 10],
      [867, 10],
      [1, 11],
    ] as const) {
      await one.advance(seconds);
      await guess(user, 12);
      expect(evaluations(), `after ${seconds} more seconds`).toBe(inAll);
    }
    const { rows } = await one.sql.query(
      `SELECT data FROM events WHERE aggregate_id = $1 AND type = 'user.password_locked' ORDER BY position`,
      [user.userId],
    );
    expect(rows).toEqual([{ data: { failures: 10 } }, { data: { failures: 11 } }]);
  });
});

describe('right passwords', () => {
  const failures = async (user: TestUser) =>
    (
      await one.sql.query<{ failures: number }>(
        'SELECT attempts - forgiven AS failures FROM password_attempts WHERE user_id = $1',
        [user.userId],
      )
    ).rows[0]?.failures;

  it.each([2, 20])('%i at once over two replicas all sign in, and leave nothing counted', async (times) => {
    const user = await aUser(world);
    const answers = await Promise.all(
      Array.from({ length: times }, (_, index) =>
        new TestBrowser(index % 2 === 0 ? one : two).signIn(codeRequest(client), user),
      ),
    );
    for (const answer of answers) expect(redirected(answer).has('code')).toBe(true);
    expect(await failures(user)).toBe(0);
  });

  it('a double click after four mistakes signs in, although the first click alone would begin a wait', async () => {
    const user = await aUser(world);
    await guess(user, 4);
    const answers = await Promise.all(
      [one, two].map((api) => new TestBrowser(api).signIn(codeRequest(client), user)),
    );
    for (const answer of answers) expect(redirected(answer).has('code')).toBe(true);
    expect(await failures(user)).toBe(0);
  });

  it('a double click on one form signs in once, and leaves nothing counted', async () => {
    const user = await aUser(world);
    await guess(user, 4);
    const browser = new TestBrowser(one);
    const fields = await browser.openSignIn(codeRequest(client));
    const cookie = browser.cookieHeader;
    const click = () =>
      postForm(
        one,
        '/login',
        {
          ...fields,
          loginName: user.loginName,
          password: 'Marker-Passw0rd!',
        },
        { cookie },
      );
    const answers = await Promise.all([click(), click()]);
    expect(answers.filter((answer) => answer.statusCode === 303)).toHaveLength(1);
    expect(await failures(user)).toBe(0);
  });

  it('in between do not give a guesser more than a fresh start', async () => {
    const user = await aUser(world);
    const evaluations = await countEvaluations(user);
    await Promise.all([
      guess(user, 30),
      new TestBrowser(two).signIn(codeRequest(client), user),
      guess(user, 30),
    ]);
    // five at most before the owner came, the owner's own, five at most afterwards
    expect(evaluations()).toBeLessThanOrEqual(11);
  });
});
