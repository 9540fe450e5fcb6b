import { describe, expect, it } from 'vitest';
import type { ApplicationsStore } from '../../../src/domain/applications/applications.store.js';
import type { FetchedKeys } from '../../../src/domain/applications/keys/fetched-keys.js';
import type { ClientAuthMethod } from '../../../src/domain/applications/oidc-config.js';
import { AuthenticateClient } from '../../../src/domain/client-auth/authenticate-client.js';
import { MutualTls } from '../../../src/domain/client-auth/mutual-tls.js';
import { PrivateKeyJwt } from '../../../src/domain/client-auth/private-key-jwt.js';
import type { UsedAssertionsStore } from '../../../src/domain/client-auth/used-assertions.store.js';
import { SharedClock } from '../../../src/domain/shared/clock.js';
import { OAuthError } from '../../../src/domain/shared/errors.js';
import { OAuthParameters } from '../../../src/domain/shared/oauth-parameters.js';
import { sha256 } from '../../../src/domain/shared/random.js';
import { aStoredApplication } from '../../support/stored-application.js';

const application = (clientId: string, authMethod: ClientAuthMethod, secret?: string) =>
  aStoredApplication(clientId, {
    authMethod,
    clientSecretHash: secret === undefined ? null : sha256(secret),
  });

// id and secret of the vector in ZITADEL's documentation
const VECTOR_ID = '78366401571920522@amce';
const VECTOR_SECRET = 'veryweaksecret!';
const VECTOR_HEADER = 'Basic NzgzNjY0MDE1NzE5MjA1MjIlNDBhbWNlOnZlcnl3ZWFrc2VjcmV0JTIx';

const known = [
  application(VECTOR_ID, 'client_secret_basic', VECTOR_SECRET),
  application('a:b%/+ ü', 'client_secret_basic', 's:%&+ =é'),
  application('web', 'client_secret_basic', 'secret'),
  application('post', 'client_secret_post', 'secret'),
  application('spa', 'none'),
  application('assertion', 'private_key_jwt'),
  { ...application('dormant', 'client_secret_basic', 'secret'), active: false },
];

const asked: string[] = [];
const store = {
  findClient: (clientId: string) => {
    asked.push(clientId);
    return Promise.resolve(known.find((one) => one.clientId === clientId));
  },
  findLiveKey: () => Promise.resolve(undefined),
} as unknown as ApplicationsStore;
const usedAssertions: UsedAssertionsStore = { use: () => Promise.resolve(false) };
const privateKeyJwt = new PrivateKeyJwt(store, {} as FetchedKeys, usedAssertions, new SharedClock(), {
  issuer: 'https://id.test',
  tokenEndpoint: 'https://id.test/oauth/v2/token',
  pushedAuthorizationEndpoint: 'https://id.test/oauth/v2/par',
});
const authenticateClient = new AuthenticateClient(
  store,
  privateKeyJwt,
  new MutualTls(store, new SharedClock(), { served: false, authorities: [] }),
);

async function outcome(
  authorization: string | undefined,
  form: Record<string, string> = {},
  allowed?: readonly ClientAuthMethod[],
): Promise<string> {
  const parameters = OAuthParameters.read(new URLSearchParams(form));
  try {
    return (await authenticateClient.authenticate({ authorization, parameters }, allowed)).clientId;
  } catch (error) {
    if (error instanceof OAuthError) return error.code;
    throw error;
  }
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('client_secret_basic', () => {
  it('reads the vector of the documentation', async () => {
    expect(await outcome(VECTOR_HEADER)).toBe(VECTOR_ID);
  });

  it.each([
    ['form-encoded', basic('web:secret'), 'web'],
    ['not encoded, where nothing needs it', basic(`${VECTOR_ID}:${VECTOR_SECRET}`), VECTOR_ID],
    ['without padding', basic('web:secret').replaceAll('=', ''), 'web'],
    ['scheme in lower case', basic('web:secret').replace('Basic', 'basic'), 'web'],
    ['percent-encoded letters', basic('%77eb:secre%74'), 'web'],
    ['wrong secret', basic('web:Secret'), 'invalid_client'],
    ['secret with a space behind', basic('web:secret '), 'invalid_client'],
    ['no secret', basic('web:'), 'invalid_client'],
    ['no id', basic(':secret'), 'invalid_client'],
    ['no colon', basic('websecret'), 'invalid_client'],
    ['bad base64', 'Basic !!!', 'invalid_client'],
    ['nothing behind the scheme', 'Basic', 'invalid_client'],
    ['broken escape', basic('web:%zz'), 'invalid_client'],
    ['escape that is no UTF-8', basic('web:%c3%28'), 'invalid_client'],
    ['another scheme', 'Bearer web', 'invalid_client'],
    ['a client registered for the body (S064)', basic('post:secret'), 'post'],
    ['a public client', basic('spa:'), 'invalid_client'],
    ['a client with an assertion', basic('assertion:x'), 'invalid_client'],
    ['a deactivated client', basic('dormant:secret'), 'invalid_client'],
  ])('%s', async (_name, header, expected) => {
    expect(await outcome(header)).toBe(expected);
  });

  it('never asks the store for what cannot be a client_id', async () => {
    asked.length = 0;
    for (const id of ['a\u0000b', 'a b', 'ü', 'x'.repeat(201)]) {
      expect(await outcome(basic(`${encodeURIComponent(id)}:secret`))).toBe('invalid_client');
    }
    expect(asked).toEqual([]);
  });
});

describe('client_secret_post and none', () => {
  it.each([
    [{ client_id: 'post', client_secret: 'secret' }, 'post'],
    [{ client_id: 'post', client_secret: 'wrong' }, 'invalid_client'],
    [{ client_id: 'post' }, 'invalid_client'],
    [{ client_secret: 'secret' }, 'invalid_request'],
    [{ client_id: 'web', client_secret: 'secret' }, 'web'],
    [{ client_id: 'web', client_secret: 'wrong' }, 'invalid_client'],
    [{ client_id: 'spa' }, 'spa'],
    [{ client_id: 'spa', client_secret: '' }, 'spa'],
    [{ client_id: 'spa', client_secret: 'x' }, 'invalid_client'],
    [{ client_id: 'web' }, 'invalid_client'],
    [{ client_id: 'nobody' }, 'invalid_client'],
    [{}, 'invalid_client'],
    [{ client_id: 'spa', client_assertion: 'a.b.c' }, 'invalid_client'],
    [{ client_id: 'spa', client_assertion_type: 'urn:x' }, 'invalid_client'],
  ])('%j', async (form, expected) => {
    expect(await outcome(undefined, form as unknown as Record<string, string>)).toBe(expected);
  });
});

describe('a client that uses the wrong method', () => {
  const refusal = async (authorization: string | undefined, form: Record<string, string> = {}) => {
    const parameters = OAuthParameters.read(new URLSearchParams(form));
    const allowed = ['client_secret_basic', 'private_key_jwt'] as const;
    const error: unknown = await authenticateClient
      .authenticate({ authorization, parameters }, allowed)
      .catch((thrown: unknown) => thrown);
    return error instanceof OAuthError ? error.description : 'let in';
  };
  const GENERIC = 'client authentication failed';

  it.each<[string, string | undefined, Record<string, string>, string]>([
    ['public, with a secret', basic('spa:x'), {}, 'none, which this endpoint does not take'],
    ['public, with none', undefined, { client_id: 'spa' }, 'none, which this endpoint does not take'],
    [
      'the right secret, where the endpoint does not take its method',
      basic('post:secret'),
      {},
      'client_secret_post, which this endpoint does not take',
    ],
    [
      'the right secret, in a way that the endpoint does not take',
      undefined,
      { client_id: 'web', client_secret: 'secret' },
      'client_secret_basic',
    ],
  ])('%s, is told which it is registered for', async (_name, header, form, method) => {
    expect(await refusal(header, form)).toBe(
      `the application is registered for the authentication method ${method}`,
    );
  });

  it.each<[string, string | undefined, Record<string, string>]>([
    ['the wrong secret', basic('web:x'), {}],
    ['the wrong secret, where the method is wrong as well', basic('post:x'), {}],
    ['no secret', undefined, { client_id: 'web' }],
    ['a secret of a client with keys', basic('assertion:x'), {}],
    ['the right secret, deactivated', basic('dormant:secret'), {}],
    ['nobody', basic('nobody:secret'), {}],
  ])('%s: is told nothing', async (_name, header, form) => {
    expect(await refusal(header, form)).toBe(GENERIC);
  });
});

describe('more than one way', () => {
  it.each([
    [{ client_id: 'web', client_secret: 'secret' }, 'invalid_request'],
    [{ client_assertion: 'a.b.c' }, 'invalid_request'],
    [{ client_id: 'web' }, 'web'],
    [{ client_id: 'post' }, 'invalid_client'],
  ])('a header and %j', async (form, expected) => {
    expect(await outcome(basic('web:secret'), form as unknown as Record<string, string>)).toBe(expected);
  });
});

describe('an endpoint that takes fewer methods', () => {
  it('refuses the others, however right they are', async () => {
    expect(await outcome(basic('web:secret'), {}, ['client_secret_basic'])).toBe('web');
    expect(await outcome(undefined, { client_id: 'spa' }, ['client_secret_basic'])).toBe('invalid_client');
    expect(
      await outcome(undefined, { client_id: 'post', client_secret: 'secret' }, ['client_secret_basic']),
    ).toBe('invalid_client');
  });
});
