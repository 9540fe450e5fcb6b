import * as oauth from 'oauth4webapi';
import { ownAddress } from './own-address.ts';
import { timeLimit } from './time-limit.ts';

/**
 * Who is signed in. The console is an ordinary public client (RFC 6749 §4.1 with RFC 7636): the access token is held in
 * memory alone, there is no refresh token, and behind both stands the session at the service. A reload therefore asks the
 * service again, at the top level, and comes back to the same address. A token that is about to end is replaced without
 * leaving the page: the service answers `prompt=none` as a form, and this page reads it instead of sending it.
 */

const ISSUER = metaOf('console-issuer') || location.origin;
const CALLBACK_PATH = '/console/callback';
const CALLBACK = ISSUER + CALLBACK_PATH;
const SCOPE = 'openid profile email urn:zitadel:iam:org:project:id:zitadel:aud';
const PENDING = 'console.sign-in';
/** Whose drafts this tab keeps. */
const SUBJECT = 'console.subject';
/** Replaced so long before its end. */
const AHEAD_SECONDS = 60;

/** Every call waits for a token: one that never comes would hold up all of them. */
const LONGEST_MS = 30_000;

const options = {
  [oauth.allowInsecureRequests]: location.protocol === 'http:',
  signal: () => timeLimit(LONGEST_MS).signal,
};

interface Pending {
  readonly state: string;
  readonly verifier: string;
  readonly returnTo: string;
}

interface Token {
  readonly value: string;
  readonly endsAt: number;
  readonly idToken: string | undefined;
  /** Whose it is. */
  readonly subject: string | undefined;
}

/** What a call asked of the sign-in (RFC 9470 §3). */
export interface StepUp {
  readonly acrValues?: string | undefined;
  readonly maxAge?: string | undefined;
}

/** What a sign-in is to be like. */
interface Asked extends StepUp {
  readonly prompt?: string | undefined;
}

/**
 * For whoever's session is over. Somebody else may have signed in to this browser meanwhile: without being asked, one would
 * come back as them.
 */
export const SIGN_IN_AGAIN: Asked = { prompt: 'select_account' };

/** The session behind the console is over: nothing can be done until somebody signs in again. */
export class SessionOver extends Error {
  constructor() {
    super('The session is over.');
    this.name = 'SessionOver';
  }
}

let server: oauth.AuthorizationServer | undefined;
let token: Token | undefined;
let renewal: Promise<Token> | undefined;
let isLeaving = false;
// by the back button, as it was when it was left
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) isLeaving = false;
});

function metaOf(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

function client(): oauth.Client {
  return { client_id: metaOf('console-client') };
}

async function issuer(): Promise<oauth.AuthorizationServer> {
  if (server === undefined) {
    const url = new URL(ISSUER);
    const answer = await oauth.discoveryRequest(url, options);
    server = await oauth.processDiscoveryResponse(url, answer);
  }
  return server;
}

async function authorizeUrl(
  state: string,
  verifier: string,
  more: Readonly<Record<string, string>>,
): Promise<string> {
  const { authorization_endpoint: endpoint } = await issuer();
  const url = new URL(endpoint ?? '/oauth/v2/authorize', location.origin);
  url.search = new URLSearchParams({
    client_id: client().client_id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: SCOPE,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  }).toString();
  return url.href;
}

/** Leaves for the sign-in page; whoever comes back is at `returnTo`, an address of the console. */
export async function leaveToSignIn(returnTo: string, asked: Asked = {}): Promise<never> {
  const pending: Pending = {
    state: oauth.generateRandomState(),
    verifier: oauth.generateRandomCodeVerifier(),
    returnTo,
  };
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  isLeaving = true;
  location.assign(await authorizeUrl(pending.state, pending.verifier, parametersOf(asked)));
  // the page goes away
  return await new Promise<never>(() => undefined);
}

function parametersOf({ acrValues, maxAge, prompt }: Asked): Record<string, string> {
  return {
    ...(acrValues !== undefined && { acr_values: acrValues }),
    ...(maxAge !== undefined && { max_age: maxAge }),
    ...(prompt !== undefined && { prompt }),
  };
}

/**
 * Where somebody signs in again in a tab of its own, so that this page stays as it is: the session is the same, or the next one
 * of the same person.
 */
export function elsewhereFor(asked: Asked): string {
  return `/console/?${new URLSearchParams(parametersOf(asked)).toString()}`;
}

/** What the address of such a tab asks for, which is gone from it afterwards. */
function takeAsked({ searchParams }: URL): Asked {
  const take = (name: string): string | undefined => {
    const value = searchParams.get(name) ?? '';
    searchParams.delete(name);
    return value === '' ? undefined : value;
  };
  const isAgain = take('prompt') === SIGN_IN_AGAIN.prompt;
  return { acrValues: take('acr_values'), maxAge: take('max_age'), ...(isAgain && SIGN_IN_AGAIN) };
}

/** Whether the page is being left for the sign-in page, from which somebody comes back here: forms have a draft. */
export function leavesToSignIn(): boolean {
  return isLeaving;
}

async function redeem(answer: URLSearchParams, state: string, verifier: string): Promise<Token> {
  const as = await issuer();
  const parameters = oauth.validateAuthResponse(as, client(), answer, state);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client(),
    oauth.None(),
    parameters,
    CALLBACK,
    verifier,
    options,
  );
  const result = await oauth.processAuthorizationCodeResponse(as, client(), response);
  return {
    value: result.access_token,
    endsAt: Date.now() + (result.expires_in ?? 3600) * 1000,
    idToken: result.id_token,
    subject: oauth.getValidatedIdTokenClaims(result)?.sub,
  };
}

function readPending(): Pending | undefined {
  const text = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  return text === null ? undefined : (JSON.parse(text) as Pending);
}

/** What went wrong with a sign-in, as the service put it. */
export class SignInRefused extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'SignInRefused';
  }
}

let wanted = '/console/';

/** Where somebody wanted to go who could not be signed in. */
export function wantedAddress(): string {
  return wanted;
}

/** Whether the service has answered: the address has a code, or why there is none. */
export function isBack(): boolean {
  return location.pathname === CALLBACK_PATH;
}

/**
 * Signs in: redeems the code that the address has, or leaves for one. The address is the one that was wanted when it
 * resolves. @throws SignInRefused
 */
export async function enter(): Promise<void> {
  const here = new URL(location.href);
  // the service is known by one name: by another one (127.0.0.1 for localhost) its cookies and its callback are not there
  if (here.origin !== new URL(ISSUER).origin) {
    location.replace(ISSUER + ownAddress(here.href, location.origin));
    await new Promise<never>(() => undefined);
  }
  if (!isBack()) {
    const asked = takeAsked(here);
    wanted = ownAddress(here.href, location.origin);
    await leaveToSignIn(wanted, asked);
    return;
  }
  const pending = readPending();
  if (pending === undefined) {
    // an earlier callback: a bookmark, or the back button
    history.replaceState(null, '', '/console/');
    await leaveToSignIn(wanted);
    return;
  }
  wanted = ownAddress(pending.returnTo, location.origin);
  try {
    token = await redeem(here.searchParams, pending.state, pending.verifier);
  } catch (error) {
    // no answer at all is no refusal
    if (error instanceof TypeError || error instanceof DOMException) throw error;
    const reason = error instanceof oauth.AuthorizationResponseError ? error.error_description : undefined;
    throw new SignInRefused(reason ?? (error instanceof Error ? error.message : String(error)));
  }
  keepDraftsOf(token.subject);
  history.replaceState(null, '', wanted);
}

/** What was typed into this tab is its author's: nobody else who signs in here is shown it (security S409). */
function keepDraftsOf(subject: string | undefined): void {
  if (subject !== undefined && sessionStorage.getItem(SUBJECT) === subject) return;
  forgetAll();
  if (subject !== undefined) sessionStorage.setItem(SUBJECT, subject);
}

function forgetAll(): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith('console.')) sessionStorage.removeItem(key);
}

/** Another token for the same session, without leaving the page. @throws SessionOver */
async function renew(): Promise<Token> {
  const state = oauth.generateRandomState();
  const verifier = oauth.generateRandomCodeVerifier();
  const subject = token?.subject;
  const url = await authorizeUrl(state, verifier, {
    prompt: 'none',
    response_mode: 'form_post',
    // of several people who are signed in to this browser, the one whose page this is (OpenID Connect Core §5.5.1)
    ...(subject !== undefined && { claims: JSON.stringify({ id_token: { sub: { value: subject } } }) }),
  });
  const answer = await fetch(url, {
    credentials: 'same-origin',
    headers: { accept: 'text/html' },
    signal: timeLimit(LONGEST_MS).signal,
  });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  // no answer about the session at all
  if (answer.status === 429 || answer.status >= 500) throw new Error('the service does not answer');
  const fields = [...page.querySelectorAll<HTMLInputElement>('form input[name]')];
  const form = new URLSearchParams(fields.map(({ name, value }) => [name, value]));
  if (!form.has('code')) throw new SessionOver();
  const next = await redeem(form, state, verifier);
  // what this page shows and was typed into it is nobody else's
  if (token !== undefined && next.subject !== subject) throw new SessionOver();
  return next;
}

/** A token that is good for a while. @throws SessionOver */
export async function accessToken(): Promise<string> {
  if (token !== undefined && token.endsAt - Date.now() > AHEAD_SECONDS * 1000) return token.value;
  return await renewedToken();
}

/** One in place of a token that was refused. @throws SessionOver */
export async function renewedToken(): Promise<string> {
  renewal ??= renew().finally(() => {
    renewal = undefined;
  });
  token = await renewal;
  return token.value;
}

/** Ends the session at the service, and leads to its home page. Drafts are not for whoever signs in next. */
export async function signOut(): Promise<void> {
  const { end_session_endpoint: endpoint } = await issuer();
  const url = new URL(endpoint ?? '/oidc/v1/end_session', location.origin);
  url.search = new URLSearchParams({
    client_id: client().client_id,
    post_logout_redirect_uri: `${ISSUER}/`,
    ...(token?.idToken !== undefined && { id_token_hint: token.idToken }),
  }).toString();
  forgetAll();
  location.assign(url.href);
}
