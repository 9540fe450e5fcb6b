import { describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import {
  anInitialToken,
  aRegistered,
  metadata,
  REGISTER,
  registering,
  type Registered,
} from '../../support/client-registration.js';
import { given } from '../../support/given.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from '../oidc/support/answers.js';

// Where a client publishes its authorization requests (OpenID Connect Dynamic Client Registration §2, request_uris).

const SETTINGS = { CLIENT_REGISTRATION: 'token', RATE_LIMIT_REGISTRATION: '0' };
const { api, world } = useWorld({ ...SETTINGS, REQUEST_OBJECTS: 'signed' });
const off = useReplica(api, () => ({ ...SETTINGS, REQUEST_OBJECTS: 'refused' }));
const initial = given(() => anInitialToken(world));

const URIS = ['https://rp.test/request.jwt', `https://rp.test/other.jwt?v=1#${'a_-9'.repeat(10)}bcd`];

async function replaced(client: Registered, changes: Readonly<Record<string, unknown>>, by = api) {
  const { registration_client_uri: url, registration_access_token: token, client_id } = client;
  return await registering(by, 'PUT', url, token, { client_id, ...metadata(changes) });
}

describe('request_uris', () => {
  it('are registered, told again, replaced, and gone where they are left out', async () => {
    const client = await aRegistered(api, initial.token, { request_uris: URIS });
    expect(client).toMatchObject({ request_uris: URIS });
    const { registration_client_uri: url, registration_access_token: token } = client;
    const read = async () => (await registering(api, 'GET', url, token)).json<object>();
    expect(await read()).toMatchObject({ request_uris: URIS });
    await replaced(client, { request_uris: URIS.slice(1) });
    expect(await read()).toMatchObject({ request_uris: URIS.slice(1) });
    expect((await replaced(client, {})).json()).not.toHaveProperty('request_uris');
    expect(await read()).not.toHaveProperty('request_uris');
  });

  it.each([
    ['on http', ['http://rp.test/r'], 'request_uris[0] must use https'],
    ['with a password', ['https://a:b@rp.test/r'], 'request_uris[0] must not contain credentials'],
    ['without a host', ['/r'], 'request_uris[0] is not an absolute URI'],
    ['that is pushed', ['urn:ietf:params:oauth:request_uri:x'], 'request_uris[0] must use https'],
    ['of a file', ['file:///etc/passwd'], 'request_uris[0] must use https'],
    [
      'with a fragment that is no hash',
      [URIS[0] ?? '', 'https://rp.test/r#top'],
      'request_uris[1] must have',
    ],
    ['with two fragments', [`https://rp.test/r#${'a'.repeat(43)}#`], 'request_uris[0] must have no fragment'],
    ['of more than 512 characters', [`https://rp.test/${'r'.repeat(497)}`], 'request_uris[0] is longer than'],
    ['of another type', [7], 'request_uris[0]'],
    ['that is no list', 'https://rp.test/r', 'request_uris'],
    ['too many', Array.from({ length: 11 }, (_, n) => `https://rp.test/${n}`), 'request_uris must have'],
  ])('are not registered %s', async (_, uris, said) => {
    const refused = await registering(api, 'POST', REGISTER, initial.token, metadata({ request_uris: uris }));
    expect(expectOAuthError(refused, 400, 'invalid_client_metadata')).toContain(said);
  });

  it('are ignored where no signed requests are taken, and stay', async () => {
    const ignored = await aRegistered(off, initial.token, { request_uris: 7 });
    expect(ignored).not.toHaveProperty('request_uris');
    const client = await aRegistered(api, initial.token, { request_uris: URIS });
    expect((await replaced(client, {}, off)).json()).toMatchObject({ request_uris: URIS });
  });
});
