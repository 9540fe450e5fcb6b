import { randomInt } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect } from 'vitest';
import { unescapeHtml } from '../../support/browser-flow.js';
import { policySources, type Page } from '../support/browser.js';
import { randomText, type ModuleRun, type Success } from '../support/module-run.js';
import { must } from '../support/must.js';
import { expectOwnPage } from '../support/service-pages.js';
import { NEEDS_THE_USER, type Modules } from './module.js';

type Parameters = Readonly<Record<string, string>>;

/** Every printable character but those that the suite itself cannot send: `+`, `;` and the space. */
const PUNCTUATED = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).filter(
  (character) => character !== '+' && character !== ';',
);

/** 90 characters with each kind of punctuation among them. */
function logoutState(): string {
  const characters = [...PUNCTUATED];
  for (let index = characters.length - 1; index > 0; index -= 1) {
    const other = randomInt(index + 1);
    [characters[index], characters[other]] = [characters[other] ?? '', characters[index] ?? ''];
  }
  return characters.slice(0, 90).join('');
}

/** The usual request: never a client_id. */
export function usual(
  run: ModuleRun,
  done: Success,
): { id_token_hint: string; post_logout_redirect_uri: string; state: string } {
  return {
    id_token_hint: done.idToken,
    post_logout_redirect_uri: run.stage.suite.postLogoutUri,
    state: logoutState(),
  };
}

export async function signIn(run: ModuleRun): Promise<Success> {
  return await run.succeed({ state: randomText(128) });
}

/** Opens the end-session endpoint and presses "sign out" where the person is asked. */
export async function endSession(run: ModuleRun, parameters: Parameters): Promise<Page> {
  const query = new URLSearchParams(parameters).toString();
  const page = await run.browser.open(`${run.endpoint('end_session')}${query === '' ? '' : `?${query}`}`);
  const confirmation = confirmationForm(page);
  return confirmation === undefined ? page : await run.browser.submit(page, confirmation);
}

function confirmationForm(page: Page) {
  return page.forms.find(({ buttons }) => buttons.some(({ id }) => id === 'logout-confirm'));
}

/** The application got its person back, with exactly the state it sent. */
export function expectReturned(run: ModuleRun, state: string | undefined): void {
  const { suite } = run.stage;
  const calls = suite.receivedAt(suite.postLogoutUri);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.method).toBe('GET');
  expect([...(calls[0]?.query ?? [])]).toEqual(state === undefined ? [] : [['state', state]]);
}

export async function expectSignedOut(run: ModuleRun): Promise<void> {
  await run.fail(NEEDS_THE_USER, run.request({ prompt: 'none', state: randomText(128) }));
}

function expectNotReturned(run: ModuleRun): void {
  expect(run.stage.suite.receivedAt(run.stage.suite.postLogoutUri)).toEqual([]);
}

/** REVIEW: "signed out" on the service's own page, after a question or without. */
async function expectSignedOutPage(run: ModuleRun, parameters: Parameters): Promise<void> {
  const page = await endSession(run, parameters);
  expectOwnPage(page, run.issuer, 200, 'signed out');
  expectNotReturned(run);
  await expectSignedOut(run);
}

/** REVIEW: a page that says what is wrong, or one that asks; whichever way it goes on, nobody is sent away. */
async function expectRefused(run: ModuleRun, parameters: Parameters, culprit: string): Promise<void> {
  const query = new URLSearchParams(parameters).toString();
  const page = await run.browser.open(`${run.endpoint('end_session')}?${query}`);
  const confirmation = confirmationForm(page);
  if (confirmation === undefined) expectOwnPage(page, run.issuer, 400, culprit);
  else {
    expectOwnPage(page, run.issuer, 200, 'logout-confirm');
    expectOwnPage(await run.browser.submit(page, confirmation), run.issuer, 200, 'signed out');
  }
  expectNotReturned(run);
}

function withHeader(token: string, header: object): string {
  const [, claims = ''] = token.split('.');
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${claims}.`;
}

/** As the suite makes it: from the client to the service, signed with the client's secret. */
async function strangeHint(run: ModuleRun): Promise<string> {
  const secret = Buffer.from(run.client.clientSecret);
  expect(secret.length, 'bytes of the client secret').toBeGreaterThanOrEqual(32);
  return await new SignJWT({ sub: 'SubjectID', nonce: 'flibble' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(run.client.clientId)
    .setAudience(run.issuer)
    .setIssuedAt(run.stage.nowSeconds)
    .setExpirationTime(run.stage.nowSeconds + 300)
    .sign(secret);
}

/** RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0 §2, §3). */
export const LOGOUT: Modules = {
  'oidcc-rp-initiated-logout': async (run) => {
    const parameters = usual(run, await signIn(run));
    await endSession(run, parameters);
    expectReturned(run, parameters.state);
    await expectSignedOut(run);
  },

  'oidcc-rp-initiated-logout-no-state': async (run) => {
    const { id_token_hint, post_logout_redirect_uri } = usual(run, await signIn(run));
    await endSession(run, { id_token_hint, post_logout_redirect_uri });
    expectReturned(run, undefined);
    await expectSignedOut(run);
  },

  'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': async (run) => {
    const { id_token_hint, state } = usual(run, await signIn(run));
    await expectSignedOutPage(run, { id_token_hint, state });
  },

  'oidcc-rp-initiated-logout-no-params': async (run) => {
    await signIn(run);
    await expectSignedOutPage(run, {});
  },

  'oidcc-rp-initiated-logout-only-state': async (run) => {
    const { state } = usual(run, await signIn(run));
    await expectSignedOutPage(run, { state });
  },

  'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': async (run) => {
    const parameters = usual(run, await signIn(run));
    const post_logout_redirect_uri = `${parameters.post_logout_redirect_uri}/${randomText(10)}`;
    await expectRefused(run, { ...parameters, post_logout_redirect_uri }, 'post_logout_redirect_uri');
    expect(run.stage.suite.received).toHaveLength(1);
  },

  'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': async (run) => {
    const parameters = usual(run, await signIn(run));
    const post_logout_redirect_uri = `${parameters.post_logout_redirect_uri}?foo=bar`;
    await expectRefused(run, { ...parameters, post_logout_redirect_uri }, 'post_logout_redirect_uri');
  },

  'oidcc-rp-initiated-logout-modified-id-token-hint': async (run) => {
    const parameters = usual(run, await signIn(run));
    const id_token_hint = withHeader(parameters.id_token_hint, { alg: 'none' });
    await expectRefused(run, { ...parameters, id_token_hint }, 'id_token_hint');
  },

  'oidcc-rp-initiated-logout-bad-id-token-hint': async (run) => {
    const parameters = usual(run, await signIn(run));
    await expectRefused(run, { ...parameters, id_token_hint: await strangeHint(run) }, 'id_token_hint');
  },

  'oidcc-rp-initiated-logout-no-id-token-hint': async (run) => {
    const { post_logout_redirect_uri, state } = usual(run, await signIn(run));
    await expectRefused(run, { post_logout_redirect_uri, state }, 'id_token_hint');
  },
};

/** The usual sign-out, of which the application is told beside the redirect. Returns what was signed out. */
export async function signOutAsUsual(run: ModuleRun): Promise<Success> {
  const done = await signIn(run);
  must('sid', 'sid' in done.claims ? [] : ['the ID token has no sid']);
  const parameters = usual(run, done);
  const page = await endSession(run, parameters);
  const onward = await loadFrames(run, page);
  if (onward !== undefined) await run.browser.open(onward);
  expectReturned(run, parameters.state);
  return done;
}

/**
 * What a browser without scripts does with a page that has frames: loads those that the page's policy lets it load, and goes where
 * the page then sends it.
 */
async function loadFrames(run: ModuleRun, page: Page): Promise<string | undefined> {
  const frames = [...page.html.matchAll(/<iframe\s+src="([^"]*)"/g)].map(([, url = '']) => unescapeHtml(url));
  for (const url of frames) {
    expect(policySources(page, 'frame-src')).toContain(new URL(url).origin);
    await run.browser.open(url);
  }
  const refresh = /<meta http-equiv="refresh" content="0;url=([^"]*)"/.exec(page.html)?.[1];
  return refresh === undefined ? undefined : unescapeHtml(refresh);
}
