import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSigner, type Signer } from '../../support/assertions.js';
import {
  anInitialToken,
  aRegistered,
  metadata,
  REGISTER,
  registering,
} from '../../support/client-registration.js';
import { DocumentHost } from '../../support/document-host.js';
import { given } from '../../support/given.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from '../oidc/support/answers.js';

// Metadata that somebody else has signed (RFC 7591 §2.3; security S292).

const DIRECTORY = 'https://directory.test';
const ELSEWHERE = 'https://elsewhere.test';
const signer = makeSigner('ES256');
const published = makeSigner('PS256');
let host: DocumentHost;
const { api, world } = useWorld(async () => {
  host = await DocumentHost.start();
  const jwksUri = host.answer('/jwks', {
    body: JSON.stringify({ keys: [{ ...published.publicJwk, kid: 'k' }] }),
  });
  return {
    CLIENT_REGISTRATION: 'token',
    RATE_LIMIT_REGISTRATION: '0',
    OUTBOUND_PRIVATE_ADDRESSES: 'allow',
    SOFTWARE_STATEMENT_ISSUERS: JSON.stringify([
      { issuer: DIRECTORY, jwks: { keys: [{ ...signer.publicJwk, kid: 'k' }] } },
      { issuer: ELSEWHERE, jwksUri },
    ]),
  };
});
const initial = given(() => anInitialToken(world));
afterAll(() => host.stop());

async function statement(
  claims: Readonly<Record<string, unknown>> = {},
  by: Signer = signer,
  kid = 'k',
): Promise<string> {
  return await new SignJWT({
    iss: DIRECTORY,
    software_id: 'app-1',
    client_name: 'As signed',
    redirect_uris: ['https://signed.test/cb'],
    ...claims,
  })
    .setProtectedHeader({ alg: by.alg, kid })
    .sign(by.privateKey);
}

const register = async (software_statement: unknown, changes: object = {}) =>
  await registering(api, 'POST', REGISTER, initial.token, metadata({ software_statement, ...changes }));

describe('a software statement', () => {
  it('counts in place of what the client says, and is given back', async () => {
    const signed = await statement();
    const response = await register(signed, { client_name: 'As said', client_uri: 'https://rp.test/' });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toMatchObject({
      client_name: 'As signed',
      redirect_uris: ['https://signed.test/cb'],
      software_id: 'app-1',
      client_uri: 'https://rp.test/',
      software_statement: signed,
    });
  });

  it('may be signed by a key that its issuer publishes', async () => {
    const response = await register(await statement({ iss: ELSEWHERE }, published));
    expect(response.json()).toMatchObject({ client_name: 'As signed' });
    expect(host.asked).toEqual(['/jwks']);
  });

  it('stays when the client changes itself and leaves it out', async () => {
    const soon = Math.floor(Date.now() / 1000) + 600;
    const signed = await statement({ exp: soon });
    const client = await aRegistered(api, initial.token, { software_statement: signed });
    await api.advance(700);
    const url = client.registration_client_uri;
    const token = client.registration_access_token;
    const changes = {
      client_id: client.client_id,
      redirect_uris: ['https://evil.test/cb'],
      tos_uri: 'https://rp.test/',
    };
    const changed = await registering(api, 'PUT', url, token, metadata(changes));
    expect(changed.json()).toMatchObject({
      redirect_uris: ['https://signed.test/cb'],
      tos_uri: 'https://rp.test/',
      software_statement: signed,
    });
    expect((await registering(api, 'GET', url, token)).json()).toMatchObject({ software_statement: signed });
    // sent again, it is looked at again
    const again = metadata({ client_id: client.client_id, software_statement: signed });
    expectOAuthError(await registering(api, 'PUT', url, token, again), 400, 'invalid_software_statement');
    await api.advance(-700);
  });

  it('must hold what it says by the rules for all', async () => {
    const response = await register(await statement({ redirect_uris: ['javascript:alert(1)'] }));
    expectOAuthError(response, 400, 'invalid_redirect_uri');
  });

  it('is not approved of an issuer that nobody trusts', async () => {
    for (const iss of ['https://other.test', undefined, `${DIRECTORY}/`]) {
      const response = await register(await statement({ iss }));
      expectOAuthError(response, 400, 'unapproved_software_statement');
    }
  });

  const now = Math.floor(Date.now() / 1000);
  it.each<[string, () => unknown]>([
    ['by another key', async () => await statement({}, makeSigner('ES256'))],
    ['by the key of another issuer', async () => await statement({ iss: ELSEWHERE })],
    ['by a key of another name', async () => await statement({}, signer, 'other')],
    ['without a signature', () => new UnsecuredJWT({ iss: DIRECTORY }).encode()],
    ['expired', async () => await statement({ exp: now - 1 })],
    ['of tomorrow', async () => await statement({ nbf: now + 86_400 })],
    ['for another service', async () => await statement({ aud: 'https://other.test' })],
    ['that is no JWT', () => 'x.y.z'],
    ['that is no text', () => ({ iss: DIRECTORY })],
    ['that is huge', async () => await statement({ filler: 'x'.repeat(20_000) })],
  ])('is refused %s', async (_, make) => {
    expectOAuthError(await register(await make()), 400, 'invalid_software_statement');
  });

  it('is for this service where it says for whom', async () => {
    expect((await register(await statement({ aud: ['https://id.test'] }))).statusCode).toBe(201);
  });

  it('gets nobody in without a token, and has nobody called', async () => {
    const before = host.asked.length;
    const body = metadata({ software_statement: await statement({ iss: ELSEWHERE }, published, 'new') });
    const response = await registering(api, 'POST', REGISTER, 'iat_wrong', body);
    expectOAuthError(response, 401, 'invalid_token');
    expect(host.asked).toHaveLength(before);
  });
});
