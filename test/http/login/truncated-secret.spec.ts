import { hash as bcryptHash } from '@node-rs/bcrypt';
import { describe, expect, it } from 'vitest';
import { CheckPassword } from '../../../src/domain/passwords/check-password.js';
import { anApplication } from '../../support/applications.js';
import { codeRequest, redirected, TestBrowser } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

// What a hash cannot tell apart opens the account, as it did at home, and never becomes the password (S194).

const HEAD = 'The first 72 bytes of a password decide alone, whatever may stand behind them.'.slice(0, 72);
const TRUE_PASSWORD = `${HEAD}and its end`;

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

interface Imported {
  readonly userId: string;
  readonly userName: string;
}

async function importWith(password: string): Promise<Imported> {
  const userName = `s194-${Math.random().toString(36).slice(2)}`;
  const value = await bcryptHash(password, { cost: 4 });
  const email = { email: `${userName}@mail.test`, isEmailVerified: true };
  const answer = await importHuman(api, owner.pat, record({ userName, email, hashedPassword: { value } }));
  expect(answer.statusCode, answer.body).toBe(200);
  return { userId: answer.json<{ userId: string }>().userId, userName };
}

/** By the form, as people do; what follows behind the sign-in's back is over then. */
async function opens({ userName }: Imported, password: string): Promise<boolean> {
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(client));
  const loginName = `${userName}@${world.domain}`;
  const answer = await browser.post('/login', { ...fields, loginName, password });
  await api.app.get(CheckPassword).settled();
  return redirected(answer).has('code');
}

async function stored({ userId }: Imported): Promise<{ scheme: string; withheld: boolean; events: number }> {
  const { rows } = await api.sql.query<{ scheme: string; withheld: boolean; events: number }>(
    `SELECT scheme, rehash_withheld_at IS NOT NULL AS withheld,
       (SELECT count(*)::int FROM events WHERE aggregate_id = $1 AND type = 'user.password_rehash_withheld') AS events
     FROM user_passwords WHERE user_id = $1`,
    [userId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the user has no password');
  return row;
}

describe('S194: a bcrypt hash of 83 bytes', () => {
  it('goes on to open for its owner after somebody signed in with another end', async () => {
    const user = await importWith(TRUE_PASSWORD);
    expect(await opens(user, `${HEAD}and another end`)).toBe(true);
    expect(await opens(user, TRUE_PASSWORD)).toBe(true);
    expect(await opens(user, HEAD)).toBe(true);
    expect(await opens(user, TRUE_PASSWORD)).toBe(true);
    expect(await opens(user, HEAD.slice(0, 71))).toBe(false);
    expect(await stored(user)).toEqual({ scheme: 'bcrypt', withheld: true, events: 1 });
  });

  it('is noted once, however many sign in at once', async () => {
    const user = await importWith(TRUE_PASSWORD);
    const opened = await Promise.all([1, 2, 3, 4].map((end) => opens(user, `${HEAD}${end}`)));
    expect(opened).toEqual([true, true, true, true]);
    expect(await stored(user)).toEqual({ scheme: 'bcrypt', withheld: true, events: 1 });
  });

  it('ends with the next password, and so does the note', async () => {
    const user = await importWith(TRUE_PASSWORD);
    expect(await opens(user, TRUE_PASSWORD)).toBe(true);
    const next = `${HEAD}A new one, 1!`;
    const answer = await owner.call('POST', `users/${user.userId}/password`, {
      password: next,
      passwordChangeRequired: false,
    });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(await stored(user)).toMatchObject({ scheme: 'argon2id', withheld: false });
    expect(await opens(user, `${HEAD}and another end`)).toBe(false);
    expect(await opens(user, next)).toBe(true);
  });
});

describe('S194: a bcrypt hash of 71 bytes', () => {
  it('is re-hashed at the first sign-in, and ends with a tail no more', async () => {
    const user = await importWith(HEAD.slice(0, 71));
    expect(await opens(user, HEAD.slice(0, 71))).toBe(true);
    expect(await stored(user)).toEqual({ scheme: 'argon2id', withheld: false, events: 0 });
    expect(await opens(user, HEAD)).toBe(false);
  });
});
