import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import { anApplication } from '../../support/applications.js';
import {
  addKey,
  anAssertingApplication,
  asserted,
  makeSigner,
  type AssertingClient,
  type AssertionChanges,
  type Signer,
} from '../../support/assertions.js';
import { aCertificate, anAuthority, type TestCertificate } from '../../support/certificates.js';
import { aProofKey, boundBy, proofOf, type ProofChanges, type ProofKey } from '../../support/dpop.js';
import { parametersOf } from '../checks/authorization-answer.js';
import { entropyFaults } from '../checks/entropy.js';
import { asText, parseObject, type Json } from '../checks/json.js';
import { readJwt, signatureFaults } from '../checks/jwt.js';
import type { Certificate } from './certificate.js';
import type { Answer } from './https-client.js';
import { CERTIFICATE_HEADER } from './https-front.js';
import { ModuleRun, randomText, VERIFIER, type Landing } from './module-run.js';
import { must, mustBe } from './must.js';
import { expectOwnPage } from './service-pages.js';
import type { Stage } from './stage.js';

export type Fapi2Profile = 'fapi2' | 'fapi2_message_signing';

/** The two parameters of a plan that clients differ by: how they authenticate, and what binds their tokens. */
export interface Fapi2Variant {
  readonly profile: Fapi2Profile;
  readonly auth: 'private_key_jwt' | 'tls_client_auth' | 'self_signed_tls_client_auth';
  readonly bound: 'dpop' | 'mtls';
}

export interface Fapi2Client extends AssertingClient {
  /** Shown in the handshake; not there where neither authentication nor tokens need one. */
  readonly certificate?: Certificate;
}

/** The two clients of the suite's configuration, with keys and certificates of their own. */
export interface Fapi2Clients {
  readonly first: Fapi2Client;
  readonly second: Fapi2Client;
}

/** Settings of a stage on which clients may show certificates, with who issues them. */
export async function certificateStage(): Promise<{
  readonly settings: Readonly<Record<string, string>>;
  readonly authority: TestCertificate;
}> {
  const authority = await anAuthority();
  return {
    authority,
    settings: { MTLS_CERTIFICATE_HEADER: CERTIFICATE_HEADER, MTLS_CA_CERTIFICATES: authority.pem },
  };
}

/** @param authority where clients have certificates */
export async function addFapi2Clients(
  stage: Stage,
  variant: Fapi2Variant,
  authority?: TestCertificate,
): Promise<Fapi2Clients> {
  return {
    first: await addClient(stage, variant, makeSigner('ES256'), authority),
    second: await addClient(stage, variant, makeSigner('PS256'), authority),
  };
}

async function addClient(
  { world, suite }: Stage,
  { profile: securityProfile, auth: authMethod, bound }: Fapi2Variant,
  signer: Signer,
  authority: TestCertificate | undefined,
): Promise<Fapi2Client> {
  const settings = {
    securityProfile,
    authMethod,
    redirectUris: [suite.redirectUri],
    tlsClientCertificateBoundAccessTokens: bound === 'mtls',
  };
  if (authority === undefined) return await anAssertingApplication(world, signer, settings);
  const cn = randomText(10);
  const isIssued = authMethod !== 'self_signed_tls_client_auth';
  const {
    pem: cert,
    privatePem: key,
    publicJwk,
  } = await aCertificate({
    subject: `CN=${cn}`,
    ...(isIssued && { issuer: authority }),
  });
  const certificate = { cert, key };
  if (authMethod === 'private_key_jwt')
    return { ...(await anAssertingApplication(world, signer, settings)), certificate };
  const client = await anApplication(world, {
    ...settings,
    ...(authMethod === 'tls_client_auth' && { tlsClientAuthSubjectDn: `CN=${cn}` }),
  });
  const keyId = isIssued ? '' : await addKey(world.api, world, client, { ...signer, publicJwk });
  return { ...client, signer, keyId, certificate };
}

type Parameters = Readonly<Record<string, string | undefined>>;

export interface SendOptions {
  readonly assertion?: AssertionChanges;
  /** False leaves the proof out. */
  readonly proof?: ProofChanges | false;
  readonly key?: ProofKey;
  /** False shows none. */
  readonly certificate?: Certificate | false;
  /** In place of what authenticates. */
  readonly authentication?: Record<string, string>;
}

/** The happy path of a plan for openid_connect and plain_fapi; modules change one thing in it. */
export class Fapi2Run {
  private constructor(
    readonly run: ModuleRun,
    readonly clients: Fapi2Clients,
    readonly client: Fapi2Client,
    readonly key: ProofKey,
    private readonly variant: Fapi2Variant,
  ) {}

  static async begin(stage: Stage, clients: Fapi2Clients, variant: Fapi2Variant): Promise<Fapi2Run> {
    const run = await ModuleRun.begin(stage, { responseType: 'code', formPost: false });
    return new Fapi2Run(run, clients, clients.first, await aProofKey(), variant);
  }

  /** The same browser, the other client. */
  asSecond(): Fapi2Run {
    return new Fapi2Run(this.run, this.clients, this.clients.second, this.key, this.variant);
  }

  get issuer(): string {
    return this.run.issuer;
  }

  get now(): number {
    return this.run.stage.nowSeconds;
  }

  get signsMessages(): boolean {
    return this.variant.profile === 'fapi2_message_signing';
  }

  get isBoundByProof(): boolean {
    return this.variant.bound === 'dpop';
  }

  /** Leaves out what shows that the sender holds the key that its tokens are bound to. */
  get unproven(): SendOptions {
    return this.isBoundByProof ? { proof: false } : { certificate: false };
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
    { assertion = {}, proof = {}, key = this.key, authentication, certificate }: SendOptions = {},
  ): Promise<Answer> {
    const url = this.endpoint(endpoint);
    const { claims, ...header } = assertion;
    const times = { iat: this.now, nbf: this.now, exp: this.now + 60 };
    const { clientId, certificate: own } = this.client;
    const proven =
      authentication ??
      (this.variant.auth === 'private_key_jwt'
        ? await asserted(this.client, { ...header, claims: { ...times, ...claims } }, this.issuer)
        : // what else is named in the form counts
          { client_id: form['client_id'] ?? clientId });
    const signed =
      this.isBoundByProof &&
      proof !== false &&
      (await proofOf(key, 'POST', url, { ...proof, claims: { iat: this.now, ...proof.claims } }));
    return await this.run.stage.http.postForm(
      url,
      { ...form, ...proven },
      signed === false ? {} : { dpop: signed },
      certificate === false ? undefined : (certificate ?? own),
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
    mustBe('token_type', tokens['token_type'], this.isBoundByProof ? 'DPoP' : 'Bearer');
    for (const name of ['access_token', 'refresh_token'])
      must(name, entropyFaults(name, asText(tokens[name])));
    return tokens;
  }

  /** Userinfo stands for the suite's resource. */
  async resource(
    token: unknown,
    changes: ProofChanges = {},
    key = this.key,
    scheme?: string,
  ): Promise<Answer> {
    const url = this.endpoint('userinfo_endpoint');
    if (!this.isBoundByProof) return await this.resourceBy(token, this.client.certificate, scheme);
    const claims = { iat: this.now, ...changes.claims };
    const { dpop = '' } = await boundBy(key, asText(token), 'GET', url, { ...changes, claims });
    const headers = { authorization: `${scheme ?? 'DPoP'} ${asText(token)}`, dpop };
    return await this.run.stage.http.send(url, { headers });
  }

  /** The same on a connection with this certificate, or none. */
  async resourceBy(token: unknown, certificate: Certificate | undefined, scheme = 'Bearer'): Promise<Answer> {
    const headers = { authorization: `${scheme} ${asText(token)}` };
    return await this.run.stage.http.send(this.endpoint('userinfo_endpoint'), { headers, certificate });
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
