import { expect, it } from 'vitest';
import type { Stage } from './support/stage.js';
import { useStage } from './support/stage.js';
import type { Visitor } from './support/visitor.js';

// What a browser remembers of a sign-in: the session that spares the next one, its end, and the way back through
// the history.

const stage = useStage();

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
  expect(await visitor.heading()).toBe('Back in the application');
  expect(new URL(page.url()).searchParams.get('state')).toBe(departure.state);
  expect(await askSilently(stage(), visitor)).toBe('a code');

  await page.goto(
    endSession(stage(), {
      client_id: webApplication.clientId,
      post_logout_redirect_uri: webApplication.postLogoutRedirectUri,
      state: 'of the application',
    }),
  );
  expect(await visitor.heading()).toBe('Sign out?');
  expect(await askSilently(stage(), visitor)).toBe('a code');

  await page.goBack();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${webApplication.postLogoutRedirectUri}?**`);
  expect(new URL(page.url()).search).toBe('?state=of+the+application');
  expect(await askSilently(stage(), visitor)).toBe('login_required');
});

it('says "signed out" where no application waits, and keeps saying so', async () => {
  const visitor = await signedIn(stage());
  const { page } = visitor;
  await page.goto(endSession(stage(), {}));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await page.reload();
  expect(await visitor.heading()).toBe('You are signed out');
  await page.goto(stage().issuer);
  await page.goBack();
  expect(await visitor.heading()).toBe('You are signed out');
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
  expect(await visitor.heading()).toBe('You are signed out');
  expect(await askSilently(stage(), visitor)).toBe('login_required');
});

it('shows a page of ours wherever back, forward and reload lead', async () => {
  const { admin } = stage().credentials;
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(stage().depart().url);
  await visitor.signIn(admin.loginName, 'Not-the-Passw0rd');
  await page.getByRole('alert').waitFor();

  // the page with the error is a page like any other: it can be asked for again
  await page.reload();
  expect(await visitor.heading()).toBe('Sign in');
  await page.goBack();
  expect(await visitor.heading()).toBe('Sign in');
  await page.goForward();
  expect(await visitor.heading()).toBe('Sign in');

  await visitor.signIn(admin.loginName, admin.password);
  await page.waitForURL('**/pkce/callback?**');
  await page.goBack();
  expect(await visitor.heading()).toBe('This sign-in has expired');
  await page.reload();
  expect(await visitor.heading()).toBe('This sign-in has expired');
  await page.goForward();
  expect(await visitor.heading()).toBe('Back in the application');
});

it('takes a form that is sent twice for one sign-in', async () => {
  const { admin } = stage().credentials;
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(stage().depart().url);
  await page.getByLabel('Login name').fill(admin.loginName);
  await page.getByLabel('Password', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'Sign in' }).dblclick();
  await page.waitForURL('**/pkce/callback?**');
  expect(await visitor.heading()).toBe('Back in the application');
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
  await other.getByLabel('Login name').fill(admin.loginName);
  await other.getByLabel('Password', { exact: true }).fill(admin.password);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.waitForURL('**/pkce/callback?**');
});
