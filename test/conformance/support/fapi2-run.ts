import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import {
  anAssertingApplication,
  asserted,
  makeSigner,
  type AssertingClient,
  type AssertionChanges,
} from '../../support/assertions.js';
import { aProofKey, boundBy, proofOf, type ProofChanges, type ProofKey } from '../../support/dpop.js';
import { parametersOf } from '../checks/authorization-answer.js';
import { entropyFaults } from '../checks/entropy.js';
import { asText, parseObject, type Json } from '../checks/json.js';
import { readJwt, signatureFaults } from '../checks/jwt.js';
import type { Answer } from './https-client.js';
import { ModuleRun, randomText, VERIFIER, type Landing } from './module-run.js';
import { must, mustBe } from './must.js';
import { expectOwnPage } from './service-pages.js';
import type { Stage } from './stage.js';

export type Fapi2Profile = 'fapi2' | 'fapi2_message_signing';

/** The two clients of the suite's configuration, with keys of their own. */
export interface Fapi2Clients {
  readonly first: AssertingClient;
  readonly second: AssertingClient;
}

export async function addFapi2Clients(stage: Stage, securityProfile: Fapi2Profile): Promise<Fapi2Clients> {
  const settings = { securityProfile, redirectUris: [stage.suite.redirectUri] } as const;
  return {
    first: await anAssertingApplication(stage.world, makeSigner('ES256'), settings),
    second: await anAssertingApplication(stage.world, makeSigner('PS256'), settings),
  };
}

type Parameters = Readonly<Record<string, string | undefined>>;

export interface SendOptions {
  readonly assertion?: AssertionChanges;
  /** False leaves the proof out. */
  readonly proof?: ProofChanges | false;
  readonly key?: ProofKey;
  /** In place of what authenticates. */
  readonly authentication?: Record<string, string>;
}

/** The happy path of a plan for openid_connect, private_key_jwt, dpop, plain_fapi; modules change one thing in it. */
export class Fapi2Run {
  private constructor(
    readonly run: ModuleRun,
    readonly clients: Fapi2Clients,
    readonly client: AssertingClient,
    readonly key: ProofKey,
    private readonly profile: Fapi2Profile,
  ) {}

  static async begin(stage: Stage, clients: Fapi2Clients, profile: Fapi2Profile): Promise<Fapi2Run> {
    const run = await ModuleRun.begin(stage, { responseType: 'code', formPost: false });
    return new Fapi2Run(run, clients, clients.first, await aProofKey(), profile);
  }

  /** The same browser, the other client. */
  asSecond(): Fapi2Run {
    return new Fapi2Run(this.run, this.clients, this.clients.second, this.key, this.profile);
  }

  get issuer(): string {
    return this.run.issuer;
  }

  get now(): number {
    return this.run.stage.nowSeconds;
  }

  get signsMessages(): boolean {
    return this.profile === 'fapi2_message_signing';
  }

  endpoint(name: string): string {
    return String(this.run.document[name]);
  }

  request(changes: Parameters = {}): Record<string, string> {
    const parameters = {
      client_id: this.client.clientId,
      response_type: 'code',
      redirect_uri: this.run.redirectUri,
      scope: 'openid offline_access',
      state: randomText(10),
      nonce: randomText(10),
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
      ...(this.signsMessages ? { response_mode: 'jwt' } : {}),
      ...changes,
    };
    return Object.fromEntries(
      Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  }

  /** A request object as the suite makes it, but for the changes. */
  async requestObject(parameters: Parameters, changes: Json = {}, alg?: string): Promise<string> {
    const { clientId, keyId, signer } = this.client;
    const claims = { iss: clientId, aud: this.issuer, nbf: this.now, exp: this.now + 300, ...changes };
    return await new SignJWT({ ...parameters, ...claims })
      .setProtectedHeader({ alg: alg ?? signer.alg, kid: keyId, typ: 'oauth-authz-req+jwt' })
      .sign(signer.privateKey);
  }

  async send(
    endpoint: string,
    form: Readonly<Record<string, string>>,
    { assertion = {}, proof = {}, key = this.key, authentication }: SendOptions = {},
  ): Promise<Answer> {
    const url = this.endpoint(endpoint);
    const { claims, ...header } = assertion;
    const times = { iat: this.now, nbf: this.now, exp: this.now + 60 };
    const proven =
      authentication ??
      (await asserted(this.client, { ...header, claims: { ...times, ...claims } }, this.issuer));
    const signed =
      proof !== false &&
      (await proofOf(key, 'POST', url, { ...proof, claims: { iat: this.now, ...proof.claims } }));
    return await this.run.stage.http.postForm(
      url,
      { ...form, ...proven },
      signed === false ? {} : { dpop: signed },
    );
  }

  /** Signed where the profile wants that. */
  async push(changes: Parameters = {}, options: SendOptions = {}): Promise<Answer> {
    const request = this.request(changes);
    const form = this.signsMessages
      ? { client_id: this.client.clientId, request: await this.requestObject(request) }
      : request;
    return await this.send(PAR, form, options);
  }

  /** The name of a request that must be taken. */
  async pushed(changes: Parameters = {}, options: SendOptions = {}): Promise<string> {
    const answer = await this.push(changes, options);
    mustBe('status of the pushed request', answer.status, 201);
    const { request_uri: name, expires_in: seconds } = parseObject(answer.body) ?? {};
    must('request_uri', entropyFaults('request_uri', asText(name)));
    must(
      'expires_in',
      typeof seconds === 'number' && seconds >= 5 && seconds < 600 ? [] : [`is ${String(seconds)}`],
    );
    return asText(name);
  }

  /** Through the browser, to the parameters that the application gets; of a JWT, what it says. */
  async authorize(requestUri: string, beside: Parameters = {}, cancels = false): Promise<URLSearchParams> {
    const named = { client_id: this.client.clientId, request_uri: requestUri };
    const { arrival } = await this.run.travel({ ...named, ...beside }, { cancels });
    if (arrival === undefined) throw new Error('nothing reached the application');
    const parameters = parametersOf(arrival, 'query');
    if (!this.signsMessages) return parameters;
    mustBe('parameters beside the JWT', [...parameters.keys()], ['response']);
    const jwt = parameters.get('response') ?? '';
    must('response', await signatureFaults('response', jwt, this.run.jwks));
    const { aud, exp, ...said } = readJwt(jwt).claims;
    mustBe('aud of the response', aud, this.client.clientId);
    must('exp of the response', typeof exp === 'number' && exp > this.now ? [] : ['is missing or past']);
    return new URLSearchParams(said as Record<string, string>);
  }

  /** As far as the page that asks who is there. */
  async load(requestUri: string): Promise<Landing> {
    const named = { client_id: this.client.clientId, request_uri: requestUri };
    return await this.run.travel(named, { looks: true });
  }

  async expectPageInstead(requestUri: string): Promise<void> {
    const { page, arrival } = await this.run.travel({
      client_id: this.client.clientId,
      request_uri: requestUri,
    });
    mustBe('calls of the application', arrival, undefined);
    expectOwnPage(page, this.issuer, 400, 'request_uri');
  }

  /** A code that must be given. */
  async code(changes: Parameters = {}, options: SendOptions = {}): Promise<string> {
    const answer = await this.authorize(await this.pushed(changes, options));
    mustBe('iss of the answer', answer.get('iss'), this.issuer);
    mustBe('error', answer.get('error'), null);
    const code = answer.get('code') ?? '';
    must('code', entropyFaults('code', code));
    return code;
  }

  async redeem(code: string, options: SendOptions = {}, changes: Parameters = {}): Promise<Answer> {
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.run.redirectUri,
      code_verifier: VERIFIER,
      ...changes,
    };
    const present = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return await this.send('token_endpoint', Object.fromEntries(present), options);
  }

  async tokens(changes: Parameters = {}): Promise<Json> {
    const answer = await this.redeem(await this.code(changes));
    mustBe('status of the token endpoint', answer.status, 200);
    const tokens = parseObject(answer.body) ?? {};
    mustBe('token_type', tokens['token_type'], 'DPoP');
    for (const name of ['access_token', 'refresh_token'])
      must(name, entropyFaults(name, asText(tokens[name])));
    return tokens;
  }

  /** Userinfo stands for the suite's resource. */
  async resource(
    token: unknown,
    changes: ProofChanges = {},
    key = this.key,
    scheme = 'DPoP',
  ): Promise<Answer> {
    const url = this.endpoint('userinfo_endpoint');
    const claims = { iat: this.now, ...changes.claims };
    const { dpop = '' } = await boundBy(key, asText(token), 'GET', url, { ...changes, claims });
    const headers = { authorization: `${scheme} ${asText(token)}`, dpop };
    return await this.run.stage.http.send(url, { headers });
  }
}

export const PAR = 'pushed_authorization_request_endpoint';

/** An error in JSON, with one of these codes. */
export function mustRefuse(what: string, { status, body }: Answer, ...codes: readonly string[]): void {
  const { error } = parseObject(body) ?? {};
  must(what, [
    ...([400, 401].includes(status) ? [] : [`status is ${status}`]),
    ...(codes.includes(asText(error)) ? [] : [`error is ${asText(error)}`]),
  ]);
}
