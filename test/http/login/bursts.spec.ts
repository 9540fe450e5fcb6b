import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../support/api.js';
import { authorizeUrl, codeRequest, TestBrowser } from '../../support/browser-flow.js';
import { PASSWORD, type TestClient, type TestUser, World } from '../../support/world.js';

// What one address may do at once, with the limits switched on.

let api: TestApi;
let client: TestClient;
let user: TestUser;

beforeAll(async () => {
  api = await startTestApi({ RATE_LIMIT_SIGN_IN: '10', RATE_LIMIT_FLOW: '60' });
  const world = await World.create(api);
  client = await world.addClient();
  user = await world.addUser();
});
afterAll(() => api.close());

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
