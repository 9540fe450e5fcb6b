import { describe, expect, it } from 'vitest';
import { Sealer } from '../../../src/domain/secrets/sealer.js';
import { randomToken } from '../../../src/domain/shared/random.js';
import {
  macOfCode,
  type VerificationPurpose,
} from '../../../src/domain/users/verification/verification-code.js';
import { anApplication } from '../../support/applications.js';
import { codeRequest, hiddenFields, redirected, TestBrowser } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage, expectPageHeaders } from '../oidc/support/answers.js';

// The pages behind the links of our mails. A link names a user and proves nothing; the code in it does.

const CODE = 'ABC234';
const NEW_PASSWORD = 'Marker-Fr3sh!';

const { api, world } = useWorld();
const client = given(() => anApplication(world));

interface Link {
  readonly id: string;
  readonly user: TestUser;
  readonly email: string;
}

/** What a mail left behind: a user and a live code. The user of an initialisation mail has no password yet. */
async function link(purpose: VerificationPurpose, code = CODE): Promise<Link> {
  const email = `${randomToken(6)}@mail.test`.toLowerCase();
  const user = await aUser(world, { email: { address: email, verified: false } });
  if (purpose === 'initialise') {
    await api.sql.query(`DELETE FROM user_passwords WHERE user_id = $1`, [user.userId]);
    await api.sql.query(`UPDATE users SET state = 'initial' WHERE id = $1`, [user.userId]);
  }
  const id = randomToken(16);
  const hash = macOfCode(
    api.app.get(Sealer, { strict: false }),
    { purpose, userId: user.userId, target: email },
    code,
  );
  await api.sql.query(
    `INSERT INTO verification_codes (id, org_id, user_id, purpose, target, code_hash, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, app_now() + interval '10 minutes')`,
    [id, user.orgId, user.userId, purpose, email, hash],
  );
  return { id, user, email };
}

const PAGES = { initialise: '/password/init', verify_email: '/verify/email' } as const;
type Purpose = keyof typeof PAGES;

async function open(purpose: Purpose, { id }: Link, code = CODE) {
  const query = new URLSearchParams({ id, code }).toString();
  return await new TestBrowser(api).get(`${PAGES[purpose]}?${query}`);
}

async function submit(purpose: Purpose, one: Link, typed: Record<string, string> = {}) {
  const fields = hiddenFields((await open(purpose, one)).body);
  const passwords = { newPassword: NEW_PASSWORD, repeatPassword: NEW_PASSWORD };
  const form = { ...fields, code: CODE, ...(purpose === 'initialise' ? passwords : {}), ...typed };
  return await new TestBrowser(api).post(PAGES[purpose], form);
}

async function stateOf({ user }: Link): Promise<{ state: string; verified: boolean; hasPassword: boolean }> {
  const { rows } = await api.sql.query<{ state: string; verified: boolean; hasPassword: boolean }>(
    `SELECT u.state, h.email_verified AS verified,
            EXISTS (SELECT FROM user_passwords p WHERE p.user_id = u.id) AS "hasPassword"
     FROM users u JOIN user_humans h ON h.user_id = u.id WHERE u.id = $1`,
    [user.userId],
  );
  if (rows[0] === undefined) throw new Error('no user');
  return rows[0];
}

const UNTOUCHED = {
  initialise: { state: 'initial', verified: false, hasPassword: false },
  verify_email: { state: 'active', verified: false, hasPassword: true },
} as const;

describe('the link of an initialisation mail', () => {
  it('sets the first password, verifies the address and lets the user in', async () => {
    const one = await link('initialise');
    const done = await submit('initialise', one);
    expect(done.statusCode).toBe(200);
    expectPageHeaders(done);
    expect(await stateOf(one)).toEqual({ state: 'active', verified: true, hasPassword: true });
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const form = { ...fields, loginName: one.email, password: NEW_PASSWORD };
    expect(redirected(await browser.post('/login', form)).has('code')).toBe(true);
  });

  it('forgets the wrong passwords that were counted before', async () => {
    const one = await link('initialise');
    await api.sql.query(
      `INSERT INTO password_attempts (user_id, org_id, attempts, wrong, last_at)
       SELECT id, org_id, 10, 10, app_now() FROM users WHERE id = $1`,
      [one.user.userId],
    );
    expect((await submit('initialise', one)).statusCode).toBe(200);
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const form = { ...fields, loginName: one.email, password: NEW_PASSWORD };
    expect(redirected(await browser.post('/login', form)).has('code')).toBe(true);
  });

  it.each<[string, Record<string, string>]>([
    ['too short', { newPassword: 'Aa1!', repeatPassword: 'Aa1!' }],
    ['without a number', { newPassword: 'Marker-Fresh!', repeatPassword: 'Marker-Fresh!' }],
    ['too long', { newPassword: `Aa1!${'x'.repeat(2000)}`, repeatPassword: `Aa1!${'x'.repeat(2000)}` }],
    ['not repeated', { repeatPassword: '' }],
    ['repeated wrongly', { repeatPassword: `${NEW_PASSWORD}x` }],
    ['missing', { newPassword: '' }],
  ])('takes no password that is %s, and counts no try', async (_name, typed) => {
    const one = await link('initialise');
    for (let n = 0; n < 6; n += 1) {
      const response = await submit('initialise', one, typed);
      expect(response.statusCode).toBe(400);
      expect(response.body).not.toContain(NEW_PASSWORD);
    }
    expect(await stateOf(one)).toEqual(UNTOUCHED.initialise);
    expect((await submit('initialise', one)).statusCode).toBe(200);
  });
});

describe.each<Purpose>(['initialise', 'verify_email'])('a link to %s', (purpose) => {
  it('changes nothing when it is opened: mail scanners do that', async () => {
    const one = await link(purpose);
    for (let n = 0; n < 3; n += 1) {
      const page = await open(purpose, one);
      expect(page.statusCode).toBe(200);
      expectPageHeaders(page);
      expect(page.headers['set-cookie']).toBeUndefined();
    }
    expect(await stateOf(one)).toEqual(UNTOUCHED[purpose]);
  });

  it('works once, also when the form is sent five times at once', async () => {
    const one = await link(purpose);
    const answers = await Promise.all(Array.from({ length: 5 }, () => submit(purpose, one)));
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1);
    expect((await stateOf(one)).verified).toBe(true);
    expectErrorPageOfOver(await open(purpose, one));
  });

  it('takes the code as people type it, and no other', async () => {
    const typed = await link(purpose);
    expect((await submit(purpose, typed, { code: ' abc-2 34' })).statusCode).toBe(200);
    for (const code of ['ABC235', 'ABC23', 'ABC2345', '%', '______', 'x'.repeat(5000)]) {
      const one = await link(purpose);
      expect((await submit(purpose, one, { code })).statusCode).toBe(400);
      expect(await stateOf(one)).toEqual(UNTOUCHED[purpose]);
    }
  });

  it('is invalid after five wrong tries, one by one and all at once (S054)', async () => {
    const slow = await link(purpose);
    for (let n = 0; n < 5; n += 1) {
      expect((await submit(purpose, slow, { code: 'WRONG2' })).statusCode).toBe(400);
    }
    expectErrorPageOfOver(await open(purpose, slow));

    const quick = await link(purpose);
    const fields = hiddenFields((await open(purpose, quick)).body);
    const passwords = { newPassword: NEW_PASSWORD, repeatPassword: NEW_PASSWORD };
    await Promise.all(
      Array.from({ length: 40 }, () =>
        new TestBrowser(api).post(PAGES[purpose], { ...fields, ...passwords, code: 'WRONG2' }),
      ),
    );
    const right = await new TestBrowser(api).post(PAGES[purpose], { ...fields, ...passwords, code: CODE });
    expect(right.statusCode).toBe(400);
    expect(await stateOf(quick)).toEqual(UNTOUCHED[purpose]);
    const { rows } = await api.sql.query<{ attempts: number }>(
      `SELECT attempts FROM verification_codes WHERE id = $1`,
      [quick.id],
    );
    expect(rows[0]?.attempts).toBe(5);
  });

  it('is for its user and its purpose (S053)', async () => {
    const mine = await link(purpose, 'MINE22');
    const theirs = await link(purpose, 'THEIR2');
    expect((await submit(purpose, theirs, { code: 'MINE22' })).statusCode).toBe(400);
    expect(await stateOf(theirs)).toEqual(UNTOUCHED[purpose]);
    const other: Purpose = purpose === 'initialise' ? 'verify_email' : 'initialise';
    expectErrorPageOfOver(await open(other, mine));
  });

  it.each([
    ['expired (S055)', `UPDATE verification_codes SET expires_at = app_now() WHERE id = $1`],
    ['replaced (S056)', `UPDATE verification_codes SET ended_at = app_now() WHERE id = $1`],
    [
      'for a former address (S057)',
      `UPDATE user_humans SET email = 'new-' || email
       WHERE user_id = (SELECT user_id FROM verification_codes WHERE id = $1)`,
    ],
    [
      'of a user who was deactivated',
      `UPDATE users SET state = 'inactive'
       WHERE id = (SELECT user_id FROM verification_codes WHERE id = $1)`,
    ],
  ])('is over once it is %s, also for a form that was open', async (_name, statement) => {
    const one = await link(purpose);
    const fields = hiddenFields((await open(purpose, one)).body);
    await api.sql.query(statement, [one.id]);
    expectErrorPageOfOver(await open(purpose, one));
    const passwords = { newPassword: NEW_PASSWORD, repeatPassword: NEW_PASSWORD };
    const late = await new TestBrowser(api).post(PAGES[purpose], { ...fields, ...passwords, code: CODE });
    expectErrorPageOfOver(late);
    expect(await stateOf(one)).toMatchObject({ verified: false });
  });

  it('sends its form from its own page only (S040)', async () => {
    const one = await link(purpose);
    const another = await link(purpose);
    const fields = hiddenFields((await open(purpose, one)).body);
    const foreign = hiddenFields((await open(purpose, another)).body);
    const typed = { code: CODE, newPassword: NEW_PASSWORD, repeatPassword: NEW_PASSWORD };
    const attempts: [Record<string, string>, Record<string, string>][] = [
      [{ ...fields, csrf: '' }, {}],
      [{ ...fields, csrf: foreign['csrf'] ?? '' }, {}],
      [{ ...fields, id: another.id }, {}],
      [{ ...fields, id: '' }, {}],
      [fields, { origin: 'https://evil.test' }],
      [fields, { 'sec-fetch-site': 'cross-site' }],
    ];
    for (const [form, headers] of attempts) {
      const response = await new TestBrowser(api).post(PAGES[purpose], { ...form, ...typed }, headers);
      expectErrorPage(response, 403);
    }
    for (const each of [one, another]) expect(await stateOf(each)).toEqual(UNTOUCHED[purpose]);
  });

  it.each([
    ['none', ''],
    ['a NUL', 'a\u0000b'],
    ['unknown', 'A'.repeat(22)],
    ['markup', '"><script>alert(1)</script>'],
    ['10 kB', 'A'.repeat(10_000)],
    ['a built-in name', '__proto__'],
  ])('with an id of %s leads nowhere', async (_name, id) => {
    const response = await new TestBrowser(api).get(
      `${PAGES[purpose]}?${new URLSearchParams({ id, code: CODE }).toString()}`,
    );
    expectErrorPageOfOver(response);
    expect(response.body).not.toContain('<script>alert');
  });

  it('shows the code of the address bar as text', async () => {
    const page = await open(purpose, await link(purpose), '"><img src=x>');
    expect(page.body).not.toContain('<img src=x');
  });
});

function expectErrorPageOfOver(response: Awaited<ReturnType<typeof open>>): void {
  expect(response.statusCode).toBe(400);
  expect(response.body).not.toContain('<form');
  expectPageHeaders(response);
}

it('a verified address is a name to sign in with', async () => {
  const one = await link('verify_email');
  await submit('verify_email', one);
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(client));
  const form = { ...fields, loginName: one.email, password: PASSWORD };
  expect(redirected(await browser.post('/login', form)).has('code')).toBe(true);
});
