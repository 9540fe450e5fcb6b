import { expect, it } from 'vitest';
import { ONWARD } from './support/application.js';
import { useStage } from './support/stage.js';

// How answers leave our pages in a browser that holds every redirect after a form against the page's policy.

const stage = useStage();

it.each([
  ['query', 'with scripts', true],
  ['query', 'without scripts', false],
  ['form_post', 'with scripts', true],
  ['form_post', 'without scripts', false],
])('a callback by %s may send the browser on to another origin (%s)', async (mode, _, scripts) => {
  const { admin } = stage().credentials;
  const visitor = await stage().visit({ scripts });
  const { page } = visitor;
  await page.goto(stage().depart({ response_mode: mode, state: `${ONWARD}${mode}` }).url);
  await visitor.signIn(admin.loginName, admin.password);
  if (mode === 'form_post' && !scripts) await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(`${stage().onwardUrl}?by=${mode}`);
  await expect.poll(() => visitor.heading()).toBe('Back in the application');
});

it('an answer by form_post is sent by itself: after a sign-in, and from the session', async () => {
  const { admin, pkceApplication } = stage().credentials;
  const visitor = await stage().visit();
  const { page } = visitor;
  const departure = stage().depart({ response_mode: 'form_post' });
  await page.goto(departure.url);
  // listened for before the press: the form may be on its way before the press is said to be over
  const posted = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url() === pkceApplication.redirectUri,
  );
  await visitor.signIn(admin.loginName, admin.password);
  const answer = new URLSearchParams((await posted).postData() ?? '');
  await page.waitForURL(pkceApplication.redirectUri);
  expect([...answer.keys()].sort()).toEqual(['code', 'iss', 'state']);
  expect(answer.get('state')).toBe(departure.state);
  expect(await stage().redeem(answer.get('code'), departure)).toMatchObject({ token_type: 'Bearer' });

  // with the session the page is the answer to a plain request
  await page.goto(stage().depart({ response_mode: 'form_post' }).url, { waitUntil: 'commit' });
  await page.waitForURL(pkceApplication.redirectUri);
  await expect.poll(() => visitor.heading()).toBe('Back in the application');
});
