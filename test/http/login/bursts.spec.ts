import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { beforeEach, expect, it } from 'vitest';
import { randomToken } from '../../../src/domain/shared/random.js';
import { AddressLimits } from '../../../src/http/shared/server/address-limits.js';
import { anApplication } from '../../support/applications.js';
import { authorizeUrl, codeRequest, redirected, TestBrowser } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { stopClockOfLimits } from '../../support/rate-limits.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// a Redis that answers late would have the limiter change its counter in the middle of a test
const countLocally = { REDIS_URL: 'redis://127.0.0.1:1' };
// What one address may do at once, with the limits switched on.

const { api, world } = useWorld({ ...countLocally, RATE_LIMIT_SIGN_IN: '10', RATE_LIMIT_FLOW: '60' });
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

beforeEach(() => stopClockOfLimits(api));

// a cookie proves nothing about who sends it: anybody can make one up, and anybody is given one
it.each([
  ['the authorization endpoint, with a cookie that we never gave out', '198.51.100.1', 'forged', undefined],
  ['the authorization endpoint, with one that anybody is given', '198.51.100.2', 'given', undefined],
  ['the sign-in page, with a cookie that we never gave out', '198.51.100.3', 'forged', '/login'],
  ['the sign-in page, with one that anybody is given', '198.51.100.4', 'given', '/login'],
])('counts flows begun at %s (S043)', async (_name, remoteAddress, kind, page) => {
  const url = page ?? authorizeUrl(codeRequest(client));
  const given = new TestBrowser(api);
  await given.get('/login');
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 70; attempt += 1) {
    const cookie = kind === 'given' ? given.cookieHeader : `__Host-identity-agent=${randomToken(32)}`;
    statuses.push((await api.app.inject({ url, headers: { cookie }, remoteAddress })).statusCode);
  }
  expect(statuses.filter((status) => status === 302).length).toBeLessThanOrEqual(60);
  expect(statuses.at(-1)).toBe(429);
});

it('lets a browser go on in which somebody has signed in, whatever its address has done (S043)', async () => {
  const browser = new TestBrowser(api);
  const remoteAddress = '198.51.100.5';
  const answered = await browser.signIn(codeRequest(client), await aUser(world));
  expect(redirected(answered).has('code')).toBe(true);
  const url = authorizeUrl(codeRequest(client, { prompt: 'login' }));
  for (let attempt = 0; attempt < 70; attempt += 1) await api.app.inject({ url, remoteAddress });
  const headers = { cookie: browser.cookieHeader };
  expect((await api.app.inject({ url, remoteAddress })).statusCode).toBe(429);
  expect((await api.app.inject({ url, remoteAddress, headers })).statusCode).toBe(302);
});

it('has room for attempts under way beside those that have failed', async () => {
  const limits = api.app.get(AddressLimits, { strict: false });
  const request = { ip: '198.51.100.6' } as FastifyRequest;
  let evaluated = 0;
  const fail = async () => {
    evaluated += 1;
    await sleep(20);
    return { result: undefined, failed: true };
  };
  for (let failure = 0; failure < 9; failure += 1) await limits.tryProof(request, fail);
  const answers = await Promise.all(Array.from({ length: 9 }, () => limits.tryProof(request, fail)));
  expect(evaluated).toBe(10);
  // the others may come again at once: the one under way may not fail
  expect(answers.filter((answer) => 'wait' in answer)).toEqual(
    Array.from({ length: 8 }, () => ({ wait: 1 })),
  );
});

it('evaluates no more wrong passwords of a burst than the limit allows', async () => {
  const browsers = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const browser = new TestBrowser(api);
      return { browser, fields: await browser.openSignIn(codeRequest(client)) };
    }),
  );
  const answers = await Promise.all(
    browsers.map(({ browser, fields }) =>
      browser.post('/login', { ...fields, loginName: user.loginName, password: 'wrong' }),
    ),
  );
  const evaluated = answers.filter((answer) => answer.statusCode === 400);
  expect(evaluated.length).toBeLessThanOrEqual(10);
  expect(answers.filter((answer) => answer.statusCode === 429)).toHaveLength(40 - evaluated.length);
  const later = new TestBrowser(api);
  const fields = await later.openSignIn(codeRequest(client));
  const right = await later.post('/login', { ...fields, loginName: user.loginName, password: PASSWORD });
  expect(right.statusCode).toBe(429);
});

it('begins no more flows for browsers without a cookie than the limit allows', async () => {
  const url = authorizeUrl(codeRequest(client));
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 70; attempt += 1) statuses.push((await api.app.inject(url)).statusCode);
  expect(statuses.filter((status) => status === 302).length).toBeLessThanOrEqual(60);
  const refused = await api.app.inject(url);
  expect(refused.statusCode).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
});
