import { describe, expect, it } from 'vitest';
import { useStage, type Stage } from './support/stage.js';
import type { Visitor } from './support/visitor.js';

// Signing in as people do it: led here by an application, with mistakes, by keyboard alone, with and without scripts.
// Then what the browser remembers of it: the session that spares the next sign-in, its end, and the way back through
// the history.

const stage = useStage();

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('somebody %s whom an application sends to sign in', (_, scripts) => {
  it('corrects a wrong password and is back in the application with a code', async () => {
    const { admin } = stage().credentials;
    const visitor = await stage().visit({ scripts });
    const { page } = visitor;
    const departure = stage().depart();

    await page.goto(departure.url);
    await expect.poll(() => visitor.heading()).toBe('Sign in');
    await expect
      .poll(() => page.getByText('to continue to').innerText())
      .toBe('to continue to Tour PKCE application');
    await expect.poll(() => visitor.focused()).toBe('loginName');

    await visitor.signIn(admin.loginName, 'Not-the-Passw0rd');
    await visitor.sees('user name or password.');
    await expect.poll(() => visitor.focused()).toBe('password');
    await expect.poll(() => page.title()).toMatch(/^Error: Sign in/);
    await expect.poll(() => page.getByLabel('E-mail or user name').inputValue()).toBe(admin.loginName);
    const password = page.getByLabel('Password', { exact: true });
    await expect.poll(() => password.inputValue()).toBe('');
    await expect.poll(() => password.getAttribute('aria-invalid')).toBe('true');
    // one line the first time, and then what else may be the matter
    await expect.poll(() => page.getByText('full login name').count()).toBe(0);
    await visitor.signIn(admin.loginName, 'Not-the-Passw0rd');
    await visitor.sees('Use your full login name');

    await visitor.signIn(admin.loginName, admin.password);
    await page.waitForURL(`${stage().credentials.pkceApplication.redirectUri}?**`);
    await expect.poll(() => visitor.heading()).toBe('Back in the application');
    const answer = new URL(page.url()).searchParams;
    expect([...answer.keys()].sort()).toEqual(['code', 'iss', 'state']);
    expect(answer.get('state')).toBe(departure.state);
    expect(answer.get('iss')).toBe(stage().issuer);
    expect(await stage().redeem(answer.get('code'), departure)).toMatchObject({ token_type: 'Bearer' });
  });

  it('finds their name filled in when the application asks them to sign in again (S215)', async () => {
    const { admin } = stage().credentials;
    const visitor = await stage().visit({ scripts });
    const { page } = visitor;
    await page.goto(stage().depart().url);
    await visitor.signIn(admin.loginName, admin.password);
    await page.waitForURL(`${stage().credentials.pkceApplication.redirectUri}?**`);
    await page.goto(stage().depart({ prompt: 'login' }).url);
    await expect.poll(() => page.getByLabel('E-mail or user name').inputValue()).toBe(admin.loginName);
    await expect.poll(() => visitor.focused()).toBe('password');
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${stage().credentials.pkceApplication.redirectUri}?**`);
  });

  it('signs in without touching the mouse', async () => {
    const { admin } = stage().credentials;
    const visitor = await stage().visit({ scripts });
    const { page } = visitor;
    const { keyboard } = page;
    await page.goto(stage().depart().url);
    await expect.poll(() => visitor.focused()).toBe('loginName');
    await keyboard.type(admin.loginName);
    await keyboard.press('Tab');
    await expect.poll(() => visitor.focused()).toBe('password');
    await keyboard.type('Not-the-Passw0rd');
    await keyboard.press('Enter');
    await visitor.sees('user name or password.');
    await expect.poll(() => visitor.focused()).toBe('password');
    await expect.poll(() => visitor.focusRing()).toBe('solid');
    await keyboard.type(admin.password);
    if (scripts) {
      await keyboard.press('Tab');
      await expect.poll(() => page.evaluate<string>('document.activeElement.textContent')).toBe('Show');
      await keyboard.press('Space');
      await expect.poll(() => page.locator('#password').getAttribute('type')).toBe('text');
    }
    await keyboard.press('Tab');
    await expect.poll(() => visitor.focused()).toBe('login-submit');
    await expect.poll(() => visitor.focusRing()).toBe('solid');
    await keyboard.press('Enter');
    await page.waitForURL(`${stage().credentials.pkceApplication.redirectUri}?**`);
  });
});

it('is told what is missing when the form is sent empty', async () => {
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(stage().depart().url);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await visitor.sees('address or user name.');
  await page.getByLabel('E-mail or user name').fill('somebody');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await visitor.sees('Enter your password.');
  await expect.poll(() => page.getByLabel('E-mail or user name').inputValue()).toBe('somebody');
});

/** A visitor who has just signed in to the application. */
async function signedIn(on: Stage, scripts = true): Promise<Visitor> {
  const { admin } = on.credentials;
  const visitor = await on.visit({ scripts });
  await visitor.page.goto(on.depart().url);
  await visitor.signIn(admin.loginName, admin.password);
  await visitor.page.waitForURL('**/pkce/callback?**');
  return visitor;
}

/** What the application is told when it asks without a page being shown. */
async function askSilently(on: Stage, { page }: Visitor): Promise<string | null> {
  await page.goto(on.depart({ prompt: 'none' }).url);
  const answer = new URL(page.url()).searchParams;
  return answer.get('error') ?? (answer.has('code') ? 'a code' : null);
}

function endSession(on: Stage, parameters: Readonly<Record<string, string>>): string {
  return `${on.issuer}/oidc/v1/end_session?${new URLSearchParams(parameters).toString()}`;
}

it.each([
  ['with scripts', true],
  ['without scripts', false],
])('asks once, then answers from the session until a confirmed sign-out (%s)', async (_, scripts) => {
  const { webApplication } = stage().credentials;
  const visitor = await signedIn(stage(), scripts);
  const { page } = visitor;

  const departure = stage().depart();
  await page.goto(departure.url);
  await expect.poll(() => visitor.heading()).toBe('Back in the application');
  await expect.poll(() => new URL(page.url()).searchParams.get('state')).toBe(departure.state);
  expect(await askSilently(stage(), visitor)).toBe('a code');

  await page.goto(
    endSession(stage(), {
      client_id: webApplication.clientId,
      post_logout_redirect_uri: webApplication.postLogoutRedirectUri,
      state: 'of the application',
    }),
  );
  await expect.poll(() => visitor.heading()).toBe('Sign out?');
  expect(await askSilently(stage(), visitor)).toBe('a code');

  await page.goBack();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${webApplication.postLogoutRedirectUri}?**`);
  await expect.poll(() => new URL(page.url()).search).toBe('?state=of+the+application');
  expect(await askSilently(stage(), visitor)).toBe('login_required');
});

it('says "signed out" where no application waits, and keeps saying so', async () => {
  const visitor = await signedIn(stage());
  const { page } = visitor;
  await page.goto(endSession(stage(), {}));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await page.reload();
  await expect.poll(() => visitor.heading()).toBe('You are signed out');
  await page.goto(stage().issuer);
  await page.goBack();
  await expect.poll(() => visitor.heading()).toBe('You are signed out');
  expect(await askSilently(stage(), visitor)).toBe('login_required');
});

it('signs out without a question when the application shows whom it means', async () => {
  const { admin, pkceApplication } = stage().credentials;
  const visitor = await stage().visit();
  const { page } = visitor;
  const departure = stage().depart();
  await page.goto(departure.url);
  await visitor.signIn(admin.loginName, admin.password);
  await page.waitForURL('**/pkce/callback?**');
  const code = new URL(page.url()).searchParams.get('code');
  const { id_token: hint } = await stage().redeem(code, departure);
  await page.goto(endSession(stage(), { id_token_hint: hint, client_id: pkceApplication.clientId }));
  await expect.poll(() => visitor.heading()).toBe('You are signed out');
  expect(await askSilently(stage(), visitor)).toBe('login_required');
});

it('shows a page of ours wherever back, forward and reload lead', async () => {
  const { admin } = stage().credentials;
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(stage().depart().url);
  await visitor.signIn(admin.loginName, 'Not-the-Passw0rd');
  await page.locator('#password-error').waitFor();

  // the page with the error is a page like any other: it can be asked for again
  await page.reload();
  await expect.poll(() => visitor.heading()).toBe('Sign in');
  await page.goBack();
  await expect.poll(() => visitor.heading()).toBe('Sign in');
  await page.goForward();
  await expect.poll(() => visitor.heading()).toBe('Sign in');

  await visitor.signIn(admin.loginName, admin.password);
  await page.waitForURL('**/pkce/callback?**');
  await page.goBack();
  await expect.poll(() => visitor.heading()).toBe('This sign-in has expired');
  await page.reload();
  await expect.poll(() => visitor.heading()).toBe('This sign-in has expired');
  await page.goForward();
  await expect.poll(() => visitor.heading()).toBe('Back in the application');
});

it('takes a form that is sent twice for one sign-in', async () => {
  const { admin } = stage().credentials;
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(stage().depart().url);
  await page.getByLabel('E-mail or user name').fill(admin.loginName);
  await page.getByLabel('Password', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).dblclick();
  await page.waitForURL('**/pkce/callback?**');
  await expect.poll(() => visitor.heading()).toBe('Back in the application');
});

it('finishes a sign-in in each of two windows', async () => {
  const { admin } = stage().credentials;
  const visitor = await stage().visit();
  const { page } = visitor;
  const other = await visitor.openWindow();
  await page.goto(stage().depart().url);
  await other.goto(stage().depart().url);
  await visitor.signIn(admin.loginName, admin.password);
  await page.waitForURL('**/pkce/callback?**');
  await other.getByLabel('E-mail or user name').fill(admin.loginName);
  await other.getByLabel('Password', { exact: true }).fill(admin.password);
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.waitForURL('**/pkce/callback?**');
  for (const window of [page, other])
    await expect.poll(() => new URL(window.url()).searchParams.has('code')).toBe(true);
});
