import { grantTypesFor } from '../../../src/domain/applications/oidc-config.js';
import { makeSigner, type AssertingClient, type Signer } from '../../support/assertions.js';
import { anInitialToken } from '../../support/client-registration.js';
import { asText, isText, parseObject, type Json } from '../checks/json.js';
import type { Answer } from './https-client.js';
import { ModuleRun, randomText, type ResponseType } from './module-run.js';
import { must, mustBe } from './must.js';
import type { Stage } from './stage.js';

/** What an instance sets that goes through the plans of dynamic clients. */
export const DYNAMIC_SETTINGS = {
  CLIENT_REGISTRATION: 'token',
  RATE_LIMIT_REGISTRATION: '0',
  REQUEST_OBJECTS: 'signed',
  PAIRWISE_SUBJECTS: 'on',
  // what clients publish is on this machine
  OUTBOUND_PRIVATE_ADDRESSES: 'allow',
};

/** Registration as the suite does it: one client for a module, with a key of its own, removed when the module ends. */
export class Registrar {
  private readonly registered: Json[] = [];

  private constructor(
    readonly stage: Stage,
    /** Of the suite's configuration: `initial_access_token`. */
    private readonly token: string,
    /** Of the plan's variant. */
    readonly responseType: ResponseType,
  ) {}

  static async of(stage: Stage, responseType: ResponseType = 'code'): Promise<Registrar> {
    return new Registrar(stage, (await anInitialToken(stage.world)).token, responseType);
  }

  async endpoint(): Promise<string> {
    const { body } = await this.stage.http.send(this.stage.discoveryUrl);
    const endpoint = asText(parseObject(body)?.['registration_endpoint']);
    mustBe('protocol of the registration endpoint', new URL(endpoint).protocol, 'https:');
    return endpoint;
  }

  /** What the suite says of its client, but for the changes. Its key has no name, nor has what it signs. */
  metadata(signer: Signer, changes: Json = {}): Json {
    return {
      client_name: `identity ${randomText(10)}`,
      contacts: ['certification@oidf.org'],
      redirect_uris: [this.stage.suite.redirectUri],
      response_types: [this.responseType],
      grant_types: grantTypesFor(this.responseType),
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...signer.publicJwk, alg: signer.alg, use: 'sig' }] },
      ...changes,
    };
  }

  async ask(metadata: Json): Promise<Answer> {
    return await this.stage.http.send(await this.endpoint(), {
      method: 'POST',
      headers: { ...JSON_TYPE, authorization: `Bearer ${this.token}` },
      // members that are undefined do not get into JSON
      body: JSON.stringify(metadata),
    });
  }

  /** One that must be taken. */
  async take(metadata: Json): Promise<Json> {
    const answer = await this.ask(metadata);
    mustBe(
      'status of the registration',
      [answer.status, answer.status === 201 ? '' : answer.body],
      [201, ''],
    );
    const client = parseObject(answer.body) ?? {};
    this.registered.push(client);
    must('registration', registrationFaults(answer, client, metadata));
    return client;
  }

  /** One that must not be taken. @returns what is said of it */
  async expectRefused(metadata: Json, ...errors: readonly string[]): Promise<string> {
    const answer = await this.ask(metadata);
    const body = parseObject(answer.body) ?? {};
    if (answer.status === 201) this.registered.push(body);
    mustBe('status of the registration', answer.status, 400);
    must('registration error', [
      ...typeFaults(answer),
      ...(errors.includes(asText(body['error'])) ? [] : [`error is ${asText(body['error'])}`]),
    ]);
    return asText(body['error_description']);
  }

  async begin(changes: Json = {}, signer = makeSigner('RS256')): Promise<{ run: ModuleRun; client: Json }> {
    const client = await this.take(this.metadata(signer, changes));
    return { run: await this.runAs(client, signer), client };
  }

  async runAs(client: Json, signer: Signer, keyId = ''): Promise<ModuleRun> {
    const [redirectUri] = client['redirect_uris'] as readonly string[];
    const asserting: AssertingClient = {
      id: '',
      clientId: asText(client['client_id']),
      clientSecret: '',
      keyId,
      signer,
    };
    return await ModuleRun.beginAs(
      this.stage,
      { responseType: this.responseType, formPost: false },
      asserting,
      redirectUri ?? '',
    );
  }

  async at(client: Json, method: 'GET' | 'PUT' | 'DELETE', body?: Json): Promise<Answer> {
    return await this.stage.http.send(asText(client['registration_client_uri']), {
      method,
      headers: {
        ...(body !== undefined && JSON_TYPE),
        authorization: `Bearer ${asText(client['registration_access_token'])}`,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** A WARN where the answer is another one. */
  async removeAll(): Promise<void> {
    for (const client of this.registered.splice(0)) {
      mustBe('status of the removal', (await this.at(client, 'DELETE')).status, 204);
      mustBe('status after the removal', (await this.at(client, 'GET')).status, 401);
    }
  }
}

export const KEY_ID = 'suite-key-1';
const JSON_TYPE = { 'content-type': 'application/json' };

function typeFaults({ headers }: Answer): string[] {
  const type = String(headers['content-type']);
  return /^application\/json\s*(;|$)/i.test(type) ? [] : [`Content-Type is ${type}`];
}

/** RFC 7591 §3.2.1, OpenID Connect Dynamic Client Registration §3.2. */
function registrationFaults(answer: Answer, client: Json, asked: Json): string[] {
  const faults = typeFaults(answer);
  if (!isText(client['client_id'])) faults.push('client_id is missing');
  if ('client_secret' in client && typeof client['client_secret_expires_at'] !== 'number') {
    faults.push('client_secret_expires_at is missing beside a secret');
  }
  for (const name of ['registration_client_uri', 'registration_access_token']) {
    if (!isText(client[name])) faults.push(`${name} is missing`);
  }
  for (const [name, value] of Object.entries(asked)) {
    // keys come back without what the service does not need of them
    if (name === 'jwks' || value === undefined) continue;
    if (JSON.stringify(client[name]) !== JSON.stringify(value)) faults.push(`${name} is another one`);
  }
  return faults;
}
