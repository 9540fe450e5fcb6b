import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT, type JWK } from 'jose';
import {
  ApplicationsStore,
  type NewOidcApplication,
} from '../../src/domain/applications/applications.store.js';
import type { ApplicationId } from '../../src/domain/shared/ids.js';
import { randomToken } from '../../src/domain/shared/random.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import type { TestApi } from './api.js';
import { anApplication, type TestClient } from './applications.js';
import type { World } from './world.js';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Somebody's key pair, and the algorithm that it signs with. */
export interface Signer {
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicJwk: JWK;
}

export function makeSigner(alg: string, modulusLength = 2048): Signer {
  const { privateKey, publicKey } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : alg.startsWith('Ed')
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('rsa', { modulusLength });
  return { alg, privateKey, publicKey, publicJwk: publicKey.export({ format: 'jwk' }) };
}

/** Claims and header members to set, or to leave out where they are undefined. */
export interface AssertionChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

export interface AssertionSubject {
  readonly clientId: string;
  /** Empty for none in the header. */
  readonly keyId: string;
  readonly signer: Signer;
}

/** A client assertion as a good library makes it, but for the changes. */
export async function signAssertion(
  { clientId, keyId, signer }: AssertionSubject,
  issuer: string,
  { claims = {}, header = {} }: AssertionChanges = {},
  now = Math.floor(Date.now() / 1000),
): Promise<string> {
  const payload = {
    iss: clientId,
    sub: clientId,
    aud: issuer,
    iat: now,
    nbf: now,
    exp: now + 60,
    jti: randomToken(16),
    ...claims,
  };
  // members that are undefined do not get into JSON
  return await new SignJWT(payload)
    .setProtectedHeader({ alg: signer.alg, ...(keyId !== '' && { kid: keyId }), ...header })
    .sign(signer.privateKey);
}

/** A private_key_jwt client with one key on file. */
export interface AssertingClient extends TestClient, AssertionSubject {}

export async function anAssertingApplication(
  world: World,
  signer = makeSigner('ES256'),
  changes: Partial<NewOidcApplication> = {},
): Promise<AssertingClient> {
  const client = await anApplication(world, { authMethod: 'private_key_jwt', ...changes });
  return { ...client, signer, keyId: await addKey(world.api, world, client, signer) };
}

export async function addKey(
  api: TestApi,
  world: World,
  client: TestClient,
  { publicJwk }: Signer,
  expiresAt = new Date('9999-12-31T23:59:59Z'),
): Promise<string> {
  const place = {
    orgId: world.orgId,
    projectId: world.projectId,
    id: client.id as ApplicationId,
  };
  const applications = api.app.get(ApplicationsStore);
  return await api.app
    .get(UnitOfWork)
    .run(async (tx) => (await applications.addKey(tx, place, publicJwk, expiresAt)).id);
}

/** The parameters of a fresh assertion. */
export async function asserted(
  client: AssertionSubject,
  changes: AssertionChanges = {},
  issuer = 'https://id.test',
): Promise<Record<string, string>> {
  return {
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: await signAssertion(client, issuer, changes),
  };
}
