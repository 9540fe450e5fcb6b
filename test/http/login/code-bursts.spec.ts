import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Sealer } from '../../../src/domain/secrets/sealer.js';
import { randomToken } from '../../../src/domain/shared/random.js';
import {
  macOfCode,
  type VerificationPurpose,
} from '../../../src/domain/users/verification/verification-code.js';
import { AccountBrowser } from '../../support/account-browser.js';
import { anApplication } from '../../support/applications.js';
import { codeRequest, hiddenFields, TestBrowser, unescapeHtml } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { stopClockOfLimits } from '../../support/rate-limits.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// What one address may guess at once, spread over so many codes that none of them has had all its attempts.

const LIMIT = 4;
const CODES = 4;
/** Of each code. The shortest-lived of them takes three. */
const GUESSES = 3;
const WRONG = 'AAAAAA';
const NEW_PASSWORDS = { newPassword: PASSWORD, repeatPassword: PASSWORD };

const { api, world } = useWorld({
  // a Redis that answers late would have the limiter change its counter in the middle of a test
  REDIS_URL: 'redis://127.0.0.1:1',
  RATE_LIMIT_SIGN_IN: String(LIMIT),
  RATE_LIMIT_FLOW: '0',
  RATE_LIMIT_MAIL: '0',
  TRUSTED_PROXIES: '127.0.0.1',
});
const client = given(() => anApplication(world));
beforeAll(() => world.allowRegister(true));

beforeEach(() => stopClockOfLimits(api));

type From = Readonly<Record<'x-forwarded-for', string>>;
/** Sends a form that was opened before, with a wrong code. */
type Guess = (from: From) => Promise<LightMyRequestResponse>;

/** A link as the mail of somebody has it. */
async function aLink(purpose: VerificationPurpose): Promise<string> {
  const target = `${randomToken(6)}@mail.test`.toLowerCase();
  const { userId, orgId } = await aUser(world, { email: { address: target, verified: false } });
  const id = randomToken(16);
  const hash = macOfCode(api.app.get(Sealer, { strict: false }), { purpose, userId, target }, 'BBBBBB');
  await api.sql.query(
    `INSERT INTO verification_codes (id, org_id, user_id, purpose, target, code_hash, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, app_now() + interval '10 minutes')`,
    [id, orgId, userId, purpose, target, hash],
  );
  return id;
}

function byLink(purpose: VerificationPurpose, path: string, typed = {}, action = path, code = WRONG) {
  return async (): Promise<Guess> => {
    const browser = new TestBrowser(api);
    const query = new URLSearchParams({ id: await aLink(purpose), code }).toString();
    const page = await browser.get(`${path}?${query}`);
    const form = { ...hiddenFields(page.body), code, ...typed };
    return async (from) => await browser.post(action, form, from);
  };
}

async function byName(): Promise<Guess> {
  const browser = new TestBrowser(api);
  const { loginName } = await aUser(world);
  const asked = hiddenFields((await browser.get('/password/forgotten')).body);
  const sent = await browser.post('/password/forgotten', { ...asked, loginName });
  const [, way = ''] = /href="(\/password\/reset\?[^"]+)"/.exec(sent.body) ?? [];
  const fields = hiddenFields((await browser.get(unescapeHtml(way))).body);
  return async (from) =>
    await browser.post('/password/reset', { ...fields, code: WRONG, ...NEW_PASSWORDS }, from);
}

async function inRegistration(): Promise<Guess> {
  const browser = new TestBrowser(api);
  const { flow = '' } = await browser.openSignIn(codeRequest(client));
  const fields = hiddenFields((await browser.get(`/register?flow=${flow}`)).body);
  const email = `new-${randomToken(6)}@mail.test`.toLowerCase();
  const asked = await browser.post('/register', { ...fields, email, newPassword: PASSWORD });
  const form = hiddenFields((await browser.get(asked.headers.location ?? '')).body);
  return async (from) => await browser.post('/register/verify', { ...form, code: WRONG }, from);
}

async function inSignIn(): Promise<Guess> {
  const browser = new TestBrowser(api);
  const address = `${randomToken(6)}@mail.test`.toLowerCase();
  const user = await aUser(world, { email: { address, verified: false } });
  const signedIn = await browser.signIn(codeRequest(client), user);
  const form = hiddenFields((await browser.get(signedIn.headers.location ?? '')).body);
  return async (from) => await browser.post('/login/verify-email', { ...form, code: WRONG }, from);
}

async function inAccount(): Promise<Guess> {
  const user = await aUser(world);
  const browser = await AccountBrowser.signedIn(api, user);
  await browser.fill('/account/email/change', { email: `next-${user.userName}@mail.test` });
  const form = await browser.fieldsOf('/account/email');
  return async (from) => await browser.post('/account/email', { ...form, code: WRONG }, from);
}

describe('a burst of wrong codes from one address', () => {
  it.each<[page: string, open: () => Promise<Guess>]>([
    ['the link of a verification mail', byLink('verify_email', '/verify/email')],
    ['the link of an initialisation mail', byLink('initialise', '/password/init', NEW_PASSWORDS)],
    ['the link for a new password', byLink('reset_password', '/password/reset', NEW_PASSWORDS)],
    [
      'the link for a passkey',
      byLink('register_passkey', '/passkey/register', {}, '/passkey/register/challenge', WRONG + WRONG),
    ],
    ['a new password, by name', byName],
    ['a registration', inRegistration],
    ['a sign-in', inSignIn],
    ['a change of address', inAccount],
  ])('has no more of them tried than the limit allows: %s (S398)', async (page, open) => {
    const guesses: Guess[] = [];
    for (let n = 0; n < CODES; n += 1) guesses.push(await open());
    const from = { 'x-forwarded-for': `198.51.100.${page.length}` };
    const answers = await Promise.all(
      guesses.flatMap((guess) => Array.from({ length: GUESSES }, () => guess(from))),
    );
    const limited = answers.filter(({ statusCode }) => statusCode === 429);
    expect(answers.map(({ statusCode }) => statusCode).filter((status) => status >= 500)).toEqual([]);
    expect(limited).toHaveLength(CODES * GUESSES - LIMIT);
    for (const { headers } of limited) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    // of an address that has guessed nothing yet
    const [other] = guesses;
    expect((await other?.({ 'x-forwarded-for': `192.0.2.${page.length}` }))?.statusCode).toBeLessThan(429);
  });
});
