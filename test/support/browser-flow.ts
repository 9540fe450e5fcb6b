import { createHash } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { hiddenFields, unescapeHtml } from '../../scripts/code-flow.mjs';
import { randomToken } from '../../src/domain/shared/random.js';
import type { TestApi } from './api.js';
import { REDIRECT_URI, type TestClient } from './applications.js';
import { postForm } from './calls.js';
import { PASSWORD, type TestUser } from './users.js';

export { hiddenFields, unescapeHtml };

export interface TokenAnswer {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly token_type: string;
  readonly error?: string;
  readonly error_description?: string;
}

/** A browser without scripts: keeps cookies, follows nothing by itself, fills forms by name. */
export class TestBrowser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly api: TestApi) {}

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Value of the browser's one cookie. */
  get userAgentSecret(): string | undefined {
    return [...this.cookies.values()][0];
  }

  /** @param to a path with its query, or what a redirect said, of which these two count */
  async get(to: string | URL, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
    const url = typeof to === 'string' ? to : `${to.pathname}${to.search}`;
    return this.keep(
      await this.api.app.inject({ method: 'GET', url, headers: { cookie: this.cookieHeader, ...headers } }),
    );
  }

  async post(
    url: string,
    form: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    return this.keep(await postForm(this.api, url, form, { cookie: this.cookieHeader, ...headers }));
  }

  /** From the authorization endpoint to the sign-in form: its hidden fields, and where it goes. */
  async openSignIn(parameters: Record<string, string>): Promise<Record<string, string>> {
    const begun = await this.get(authorizeUrl(parameters));
    const location = begun.headers.location;
    if (begun.statusCode !== 302 || location === undefined || !location.startsWith('/login')) {
      throw new Error(`no sign-in page: ${begun.statusCode} ${location ?? begun.body.slice(0, 200)}`);
    }
    return hiddenFields((await this.get(location)).body);
  }

  /** Owners, who are offered a second factor, put it off. */
  async signIn(
    parameters: Record<string, string>,
    user: TestUser,
    password?: string,
  ): Promise<LightMyRequestResponse> {
    return await this.putOff(await this.submitPassword(parameters, user, password));
  }

  async submitPassword(
    parameters: Record<string, string>,
    user: TestUser,
    password = PASSWORD,
  ): Promise<LightMyRequestResponse> {
    const fields = await this.openSignIn(parameters);
    return await this.post('/login', { ...fields, loginName: user.loginName, password });
  }

  async putOff(answered: LightMyRequestResponse): Promise<LightMyRequestResponse> {
    const { location = '' } = answered.headers;
    if (!location.startsWith('/login/set-up-factor')) return answered;
    const fields = hiddenFields((await this.get(location)).body);
    return await this.post('/login/set-up-factor', { ...fields, skip: 'true' });
  }

  private keep(response: LightMyRequestResponse): LightMyRequestResponse {
    for (const cookie of response.cookies) this.cookies.set(cookie.name, cookie.value);
    return response;
  }
}

export async function aSignedInBrowser(
  api: TestApi,
  client: TestClient,
  user: TestUser,
): Promise<TestBrowser> {
  const browser = new TestBrowser(api);
  await browser.signIn(codeRequest(client), user);
  return browser;
}

export function authorizeUrl(parameters: Record<string, string>): string {
  return `/oauth/v2/authorize?${new URLSearchParams(parameters).toString()}`;
}

/** `/oidc/v1/end_session?id_token_hint=…`, by which an application has somebody signed out. */
export function endSessionUrl(parameters: Record<string, string>): string {
  return `/oidc/v1/end_session?${new URLSearchParams(parameters).toString()}`;
}

export function codeRequest(
  client: TestClient,
  changes: Record<string, string> = {},
): Record<string, string> {
  return {
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid profile email offline_access',
    state: 'Marker-state',
    nonce: 'Marker-nonce',
    ...changes,
  };
}

export function pkce(): {
  verifier: string;
  challenge: { code_challenge: string; code_challenge_method: string };
} {
  const verifier = randomToken(32);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, challenge: { code_challenge: challenge, code_challenge_method: 'S256' } };
}

export interface Answer {
  readonly by: 'query' | 'fragment' | 'form_post';
  readonly parameters: URLSearchParams;
}

/** What arrives at the client, and how: by a redirect, or by the form that a page of ours sends. */
export function answerOf(response: LightMyRequestResponse, redirectUri = REDIRECT_URI): Answer {
  const { location } = response.headers;
  if (location === undefined) {
    const action = /<form[^>]* action="([^"]*)"[^>]* id="answer"/.exec(response.body)?.[1];
    if (unescapeHtml(action ?? '') !== redirectUri) throw new Error(`no answer: ${response.statusCode}`);
    return { by: 'form_post', parameters: new URLSearchParams(hiddenFields(response.body)) };
  }
  const sign = location.startsWith(redirectUri) ? location[redirectUri.length] : undefined;
  if (sign !== '?' && sign !== '#') throw new Error(`no answer: ${location}`);
  const parameters = new URLSearchParams(location.slice(redirectUri.length + 1));
  return { by: sign === '?' ? 'query' : 'fragment', parameters };
}

/** Response types and grant types of an application that may have tokens by way of the browser. */
export const IMPLICIT = {
  responseTypes: ['code', 'id_token', 'id_token token'],
  grantTypes: ['authorization_code', 'implicit', 'refresh_token'],
} as const;

/** Those of an application that may have a code and tokens by way of the browser at once. */
export const HYBRID = {
  responseTypes: ['code', 'code id_token', 'code token', 'code id_token token'],
  grantTypes: ['authorization_code', 'implicit', 'refresh_token'],
} as const;

export function implicitRequest(
  client: TestClient,
  changes: Record<string, string> = {},
): Record<string, string> {
  return codeRequest(client, { response_type: 'id_token token', ...changes });
}

/** Parameters that a redirect brought to the client. */
export function redirected(response: LightMyRequestResponse): URLSearchParams {
  return new URL(response.headers.location ?? '', 'https://id.test').searchParams;
}

export function basic(client: TestClient): Record<string, string> {
  return {
    authorization: `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')}`,
  };
}

export async function requestToken(
  api: TestApi,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  return await postForm(api, '/oauth/v2/token', form, headers);
}

/** The whole code flow of a confidential client, from nothing to tokens. */
export async function obtainTokens(
  api: TestApi,
  client: TestClient,
  user: TestUser,
  changes: Record<string, string> = {},
  browser = new TestBrowser(api),
): Promise<TokenAnswer> {
  return await tokensOf(api, client, await browser.signIn(codeRequest(client, changes), user));
}

/** The tokens for the code with which an answer sends the browser back to the application. */
export async function tokensOf(
  api: TestApi,
  client: TestClient,
  answered: LightMyRequestResponse,
): Promise<TokenAnswer> {
  const code = redirected(answered).get('code');
  if (code === null) {
    const { location } = answered.headers;
    throw new Error(`no code: ${answered.statusCode} ${location ?? answered.body.slice(0, 300)}`);
  }
  return (await requestToken(api, redemption(code), basic(client))).json<TokenAnswer>();
}

/** What userinfo says of the one with whom an answer sends the browser back to the application. */
export async function whoIs(
  api: TestApi,
  client: TestClient,
  answered: LightMyRequestResponse,
): Promise<Record<string, unknown>> {
  const { access_token: token } = await tokensOf(api, client, answered);
  return (await userinfo(api, token)).json<Record<string, unknown>>();
}

export function redemption(code: string, changes: Record<string, string> = {}): Record<string, string> {
  return { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...changes };
}

/** The parameters of a refresh (RFC 6749 §6): `grant_type=refresh_token`, the token, and what is changed. */
export function refreshRequest(token: string, changes: Record<string, string> = {}): Record<string, string> {
  return { grant_type: 'refresh_token', refresh_token: token, ...changes };
}

/** What the token endpoint says to a confidential client that refreshes the tokens of an answer. */
export async function refreshTokens(
  api: TestApi,
  client: TestClient,
  { refresh_token: token }: { readonly refresh_token?: string | undefined },
  changes: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  if (token === undefined) throw new Error('no refresh token');
  return await requestToken(api, refreshRequest(token, changes), basic(client));
}

export async function userinfo(api: TestApi, token: string): Promise<LightMyRequestResponse> {
  return await api.app.inject({ url: '/oidc/v1/userinfo', headers: { authorization: `Bearer ${token}` } });
}
