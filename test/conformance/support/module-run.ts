import { randomInt } from 'node:crypto';
import type { TestClient } from '../../support/applications.js';
import { asserted, type AssertingClient } from '../../support/assertions.js';
import { PASSWORD } from '../../support/users.js';
import {
  errorFaults,
  parametersOf,
  placeFaults,
  placeOf,
  successFaults,
  type Arrival,
  type Place,
} from '../checks/authorization-answer.js';
import { usableDocumentFaults } from '../checks/discovery.js';
import { hashFaults, idTokenFaults } from '../checks/id-token.js';
import { parseObject, type Json } from '../checks/json.js';
import { jwksFaults } from '../checks/jwks.js';
import { readJwt } from '../checks/jwt.js';
import { tokenAnswerFaults } from '../checks/token-answer.js';
import type { Browser, Page } from './browser.js';
import type { HtmlForm } from './html-form.js';
import type { Answer } from './https-client.js';
import { must, mustBe } from './must.js';
import { cancelForm, expectOwnPage, postingPageFaults, signInForm, textOf } from './service-pages.js';
import type { ClientName, Stage } from './stage.js';

export type ResponseType =
  'code' | 'id_token' | 'id_token token' | 'code id_token' | 'code token' | 'code id_token token';

/** The client of the suite's configuration that a plan uses. */
function clientFor(responseType: ResponseType): ClientName {
  const words = responseType.split(' ');
  if (!words.includes('code')) return 'implicit';
  return words.length === 1 ? 'client' : 'hybrid';
}

/** Which of a plan's variants a module runs as. */
export interface Variant {
  readonly responseType: ResponseType;
  readonly formPost: boolean;
}

/** An authorization request; a parameter that is undefined is left out. */
export type Request = Readonly<Record<string, string | undefined>>;

/** Where a request to the authorization endpoint has led. */
export interface Landing {
  readonly page: Page;
  /** Undefined when the application was never called. */
  readonly arrival: Arrival | undefined;
  /** How many times a password was asked for on the way. */
  readonly signIns: number;
}

/** A whole flow that went well, checked in all that the suite checks in every module. */
export interface Success {
  readonly request: Request;
  readonly parameters: URLSearchParams;
  readonly signIns: number;
  /** The ID token, wherever it came from, and what it says. */
  readonly idToken: string;
  readonly claims: Json;
  /** The token for userinfo; undefined for response type `id_token`. */
  readonly accessToken: string | undefined;
  /** Body of the token endpoint's answer; undefined in the implicit flow. */
  readonly tokens: Json | undefined;
  /** The ID token that came with the answer; undefined where none did. */
  readonly inFront: string | undefined;
}

interface Options {
  /** The user does nothing on the page that asks for a password. */
  readonly looks?: boolean;
  /** The user presses Cancel where a password is asked for. */
  readonly cancels?: boolean;
  readonly method?: 'GET' | 'POST';
  /** Where the answer must come, when it is not the usual place. */
  readonly place?: Place;
  readonly reversed?: boolean;
}

/**
 * One run of one module: a browser of its own, and the steps that all modules share (OpenID Foundation conformance
 * suite, AbstractOIDCCServerTest). What it finds amiss fails the test, a WARN as much as a FAIL.
 */
export class ModuleRun {
  readonly browser: Browser;
  private signIns = 0;

  private constructor(
    readonly stage: Stage,
    readonly variant: Variant,
    readonly client: TestClient,
    private readonly authMethod: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt',
    readonly document: Json,
    readonly jwks: Json,
    /** Where the client gets its answers. */
    readonly redirectUri: string,
    browser?: Browser,
  ) {
    this.browser = browser ?? stage.newBrowser();
  }

  /** Reads discovery and keys, as every module does first. */
  static async begin(
    stage: Stage,
    variant: Variant,
    name?: ClientName,
    browser?: Browser,
  ): Promise<ModuleRun> {
    if (browser === undefined) stage.suite.forget();
    const clientName = name ?? clientFor(variant.responseType);
    const authMethod = clientName.endsWith('client_secret_post')
      ? 'client_secret_post'
      : 'client_secret_basic';
    const { document, jwks } = await readMetadata(stage, authMethod);
    const client = stage.clients[clientName];
    return new ModuleRun(
      stage,
      variant,
      client,
      authMethod,
      document,
      jwks,
      stage.suite.redirectUri,
      browser,
    );
  }

  /** As a client that is none of the configuration's, and signs its assertions. */
  static async beginAs(
    stage: Stage,
    variant: Variant,
    client: AssertingClient,
    redirectUri: string,
    browser?: Browser,
  ): Promise<ModuleRun> {
    if (browser === undefined) stage.suite.forget();
    const { document, jwks } = await readMetadata(stage, 'private_key_jwt');
    return new ModuleRun(stage, variant, client, 'private_key_jwt', document, jwks, redirectUri, browser);
  }

  /** The same browser, another client: of the hybrid plans one that has their response types. */
  async asClient(wanted: 'client2' | 'client_secret_post'): Promise<ModuleRun> {
    const isHybrid = clientFor(this.variant.responseType) === 'hybrid';
    const name = isHybrid ? (wanted === 'client2' ? 'hybrid2' : 'hybrid_client_secret_post') : wanted;
    return await ModuleRun.begin(this.stage, this.variant, name, this.browser);
  }

  get issuer(): string {
    return String(this.document['issuer']);
  }

  get place(): Place {
    return placeOf(this.variant.responseType, this.variant.formPost);
  }

  /** Whether an access token comes out of the flow. */
  get hasAccessToken(): boolean {
    return this.variant.responseType !== 'id_token';
  }

  endpoint(name: string): string {
    return String(this.document[`${name}_endpoint`]);
  }

  request(changes: Request = {}): Request {
    return {
      client_id: this.client.clientId,
      redirect_uri: this.redirectUri,
      scope: 'openid',
      state: randomText(10),
      nonce: randomText(10),
      response_type: this.variant.responseType,
      ...(this.variant.formPost ? { response_mode: 'form_post' } : {}),
      ...changes,
    };
  }

  /** Sends the request, signs in where the page asks for it, and follows to the end. */
  async travel(
    request: Request,
    { method = 'GET', reversed = false, cancels = false, looks = false }: Options = {},
  ): Promise<Landing> {
    const given = Object.entries(request).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    if (reversed) given.reverse();
    const before = this.stage.suite.received.length;
    const signInsBefore = this.signIns;
    const endpoint = new URL(this.endpoint('authorization'));
    const first =
      method === 'POST'
        ? await this.browser.postFromElsewhere(endpoint, Object.fromEntries(given))
        : await this.browser.open(`${endpoint.href}?${new URLSearchParams(given).toString()}`);
    const page = looks ? first : await this.answerPages(first, cancels);
    const calls = this.stage.suite.received.slice(before);
    must(
      'calls of the application',
      calls.slice(1).map(({ method }) => `one more ${method}`),
    );
    const [call] = calls;
    if (call !== undefined) mustBe('called path', call.path, new URL(this.redirectUri).pathname);
    const fragment = new URLSearchParams(page.url.hash.slice(1));
    return {
      page,
      arrival: call === undefined ? undefined : { call, fragment },
      signIns: this.signIns - signInsBefore,
    };
  }

  /** A flow that must go well. */
  async succeed(changes: Request = {}, options: Options = {}): Promise<Success> {
    const request = this.request(changes);
    const landing = await this.travel(request, options);
    const parameters = this.parametersOf(landing);
    const { responseType } = this.variant;
    must(
      'authorization answer',
      successFaults(parameters, { issuer: this.issuer, state: request['state'], responseType }),
    );
    const base = { request, parameters, signIns: landing.signIns };
    const inFront = parameters.get('id_token') ?? undefined;
    const accessToken = parameters.get('access_token') ?? undefined;
    if (inFront !== undefined) await this.checkInFront(inFront, request, parameters);
    if (accessToken !== undefined) await this.userinfoClaims(accessToken);
    if (responseType.split(' ').includes('code')) {
      const redeemed = await this.redeem(parameters.get('code') ?? '', request);
      const subject = inFront === undefined ? undefined : readJwt(inFront).claims['sub'];
      if (subject !== undefined) mustBe('sub of both ID tokens', redeemed.claims['sub'], subject);
      return { ...base, ...redeemed, inFront };
    }
    const idToken = inFront ?? '';
    return { ...base, idToken, claims: readJwt(idToken).claims, accessToken, tokens: undefined, inFront };
  }

  /** A request that must be answered with an error at the redirect URI. Returns the answer's parameters. */
  async fail(oneOf: readonly string[], request: Request, options: Options = {}): Promise<URLSearchParams> {
    const landing = await this.travel(request, options);
    const parameters = this.parametersOf(landing, options.place);
    must('error answer', errorFaults(parameters, { issuer: this.issuer, state: request['state'], oneOf }));
    mustBe('password asked for before the error', landing.signIns, 0);
    return parameters;
  }

  /** A request that must end on the service's own page, with nothing sent to the application. */
  async expectErrorPage(request: Request, text: string): Promise<void> {
    const { page } = await this.travel(request);
    expectOwnPage(page, this.issuer, 400, text);
  }

  async tokenRequest(form: Readonly<Record<string, string>>): Promise<Answer> {
    const { clientId, clientSecret } = this.client;
    if (this.authMethod === 'private_key_jwt') return await this.assertedRequest(form);
    if (this.authMethod === 'client_secret_post') {
      const post = { client_id: clientId, client_secret: clientSecret };
      return await this.stage.http.postForm(this.endpoint('token'), { ...form, ...post });
    }
    const basic = Buffer.from(`${formEncode(clientId)}:${formEncode(clientSecret)}`).toString('base64');
    return await this.stage.http.postForm(this.endpoint('token'), form, { authorization: `Basic ${basic}` });
  }

  /** @param audience the address of the token endpoint, as the suite has it, or another one */
  async assertedRequest(
    form: Readonly<Record<string, string>>,
    audience = this.endpoint('token'),
  ): Promise<Answer> {
    const iat = this.stage.nowSeconds;
    const times = { iat, nbf: iat, exp: iat + 60 };
    const assertion = await asserted(this.client as AssertingClient, { claims: times }, audience);
    return await this.stage.http.postForm(this.endpoint('token'), { ...form, ...assertion });
  }

  redemption(code: string, verifier?: string): Record<string, string> {
    const pkce = verifier === undefined ? {} : { code_verifier: verifier };
    return { grant_type: 'authorization_code', code, redirect_uri: this.redirectUri, ...pkce };
  }

  async userinfo(accessToken: string): Promise<Answer> {
    return await this.stage.http.send(this.endpoint('userinfo'), {
      headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' },
    });
  }

  /** Claims that userinfo gives for a token that must be good. */
  async userinfoClaims(accessToken: string | undefined): Promise<Json> {
    const answer = await this.userinfo(accessToken ?? '');
    mustBe('status of userinfo', answer.status, 200);
    return parseObject(answer.body) ?? {};
  }

  async checkIdToken(idToken: string, nonce: string | undefined): Promise<void> {
    const { issuer, jwks, client, stage } = this;
    const { nowSeconds } = stage;
    must(
      'ID token',
      await idTokenFaults(idToken, { issuer, jwks, clientId: client.clientId, nonce, nowSeconds }),
    );
  }

  /** An ID token that came by the browser hashes what came with it (OpenID Connect Core §3.2.2.9, §3.3.2.11). */
  private async checkInFront(idToken: string, request: Request, parameters: URLSearchParams): Promise<void> {
    await this.checkIdToken(idToken, request['nonce']);
    for (const [claim, name] of [
      ['at_hash', 'access_token'],
      ['c_hash', 'code'],
    ] as const) {
      const value = parameters.get(name);
      if (value !== null) must(claim, hashFaults(idToken, { claim, value, required: true }));
    }
  }

  /** Exchanges a code, with all that the suite checks there. The verifier is that of the request, if it had one. */
  private async redeem(code: string, request: Request) {
    const answer = await this.tokenRequest(this.redemption(code, request['code_challenge'] && VERIFIER));
    must('token endpoint', tokenAnswerFaults(answer));
    const tokens = parseObject(answer.body) ?? {};
    const idToken = String(tokens['id_token']);
    const accessToken = String(tokens['access_token']);
    await this.checkIdToken(idToken, request['nonce']);
    await this.userinfoClaims(accessToken);
    return { tokens, idToken, accessToken, claims: readJwt(idToken).claims };
  }

  /** Passes the sign-in page and the page that posts the answer on, as often as they come. */
  private async answerPages(first: Page, cancels: boolean): Promise<Page> {
    let page = first;
    for (let steps = 0; steps < 5; steps += 1) {
      const signIn = signInForm(page);
      const posting = this.postingForm(page);
      const cancel = cancels ? cancelForm(page) : undefined;
      if (cancel !== undefined) page = await this.browser.submit(page, cancel);
      else if (signIn !== undefined) {
        this.signIns += 1;
        page = await this.browser.submit(page, signIn, {
          loginName: this.stage.user.loginName,
          password: PASSWORD,
        });
      } else if (posting !== undefined) {
        page = await this.browser.submit(page, posting);
      } else return page;
    }
    throw new Error(`asked again and again: ${page.url.pathname}`);
  }

  /** The form that goes off to the application at load (Form Post Response Mode §2); read, as no script runs here. */
  private postingForm(page: Page): HtmlForm | undefined {
    const form = page.forms.find(
      ({ action }) => URL.canParse(action) && new URL(action).origin === this.stage.suite.origin,
    );
    if (form === undefined) return undefined;
    must('posting page', postingPageFaults(page, form));
    return form;
  }

  private parametersOf({ arrival, page }: Landing, place = this.place): URLSearchParams {
    if (arrival === undefined) {
      throw new Error(
        `nothing reached the application; ${page.status} at ${page.url.pathname}:\n${textOf(page)}`,
      );
    }
    must('callback', placeFaults(arrival, place));
    return parametersOf(arrival, place);
  }
}

async function readMetadata(stage: Stage, authMethod: string): Promise<{ document: Json; jwks: Json }> {
  const document = parseObject((await stage.http.send(stage.discoveryUrl)).body);
  must('discovery', usableDocumentFaults(document, authMethod));
  const jwks = parseObject((await stage.http.send(String(document?.['jwks_uri']))).body);
  must('keys', jwksFaults(jwks));
  return { document: document ?? {}, jwks: jwks ?? {} };
}

/** RFC 7636 §4.1: the verifier of every request that carries a challenge. */
export const VERIFIER = 'conformance-ring-verifier-0123456789-._~ABCDEFGH';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** As the suite makes state and nonce: past 10 characters they end in every other unreserved character. */
export function randomText(length: number): string {
  const tail = length > 10 ? '-._~' : '';
  return (
    Array.from({ length: length - tail.length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join(
      '',
    ) + tail
  );
}

/** RFC 6749 §2.3.1: identifier and secret are form-urlencoded before they are joined. */
function formEncode(value: string): string {
  return new URLSearchParams([['', value]]).toString().slice(1);
}
