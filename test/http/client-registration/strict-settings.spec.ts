import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { anAuthority } from '../../support/certificates.js';
import {
  anInitialToken,
  aRegistered,
  metadata,
  registering,
  type Registered,
} from '../../support/client-registration.js';
import { given } from '../../support/given.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from '../oidc/support/answers.js';

// RFC 7592 §2.2 lets the server decide what is with members that a replacement leaves out. Those that make a client safer stay: a client
// made before they were known does not switch them off (security S300).

const authority = await anAuthority();
const { api, world } = useWorld({
  CLIENT_REGISTRATION: 'token',
  RATE_LIMIT_REGISTRATION: '0',
  PAIRWISE_SUBJECTS: 'on',
  MTLS_CERTIFICATE_HEADER: 'Client-Cert',
  MTLS_CA_CERTIFICATES: authority.pem,
  TRUSTED_PROXIES: '127.0.0.1',
});
const initial = given(() => anInitialToken(world));

type Members = Readonly<Record<string, unknown>>;

const SIGNING: Members = {
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: { keys: [{ ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid: 'one' }] },
};
const BY_CERTIFICATE: Members = {
  token_endpoint_auth_method: 'tls_client_auth',
  tls_client_auth_san_dns: 'client.rp.test',
};

async function put(client: Registered, changes: Members) {
  const { registration_client_uri: url, registration_access_token: token, client_id } = client;
  return await registering(api, 'PUT', url, token, { client_id, ...metadata(changes) });
}

/** What is registered after a replacement of all with `changes`. */
async function replaced(registered: Members, changes: Members): Promise<Registered> {
  const client = await aRegistered(api, initial.token, registered);
  const response = await put(client, changes);
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${response.body}`);
  return response.json<Registered>();
}

describe('a replacement that leaves out what is strict', () => {
  it.each<[string, Members, Members?]>([
    ['dpop_bound_access_tokens', { dpop_bound_access_tokens: true }],
    ['require_pushed_authorization_requests', { require_pushed_authorization_requests: true }],
    ['require_signed_request_object', { require_signed_request_object: true, ...SIGNING }, SIGNING],
    ['tls_client_certificate_bound_access_tokens', { tls_client_certificate_bound_access_tokens: true }],
    ['subject_type', { subject_type: 'pairwise' }],
    ['tls_client_auth_san_dns', BY_CERTIFICATE, { token_endpoint_auth_method: 'tls_client_auth' }],
    ['token_endpoint_auth_method', BY_CERTIFICATE],
  ])('keeps %s', async (member, registered, named = {}) => {
    expect(await replaced(registered, { ...named, client_name: 'Older' })).toMatchObject({
      client_name: 'Older',
      [member]: registered[member],
    });
  });

  it('keeps it where null stands in its place, which is the same', async () => {
    const client = await replaced({ dpop_bound_access_tokens: true }, { dpop_bound_access_tokens: null });
    expect(client['dpop_bound_access_tokens']).toBe(true);
  });

  it.each([[{}], [{ scope: null }]])('widens no scope: %j', async (changes) => {
    const narrow = await replaced({ scope: 'openid email' }, changes);
    expect(narrow['scope']).toBe('openid email');
    const own = await replaced({ scope: 'openid read:orders' }, { ...changes, client_name: 'Older' });
    expect(own['scope']).toBe('openid read:orders');
  });

  it('puts no secret in the place of keys', async () => {
    const client = await aRegistered(api, initial.token, SIGNING);
    const response = await put(client, {});
    expectOAuthError(response, 400, 'invalid_client_metadata');
    expect(response.json()).toMatchObject({ error_description: 'private_key_jwt needs jwks or jwks_uri' });
  });

  it('is refused where what it names cannot stand beside it', async () => {
    const bound = await aRegistered(api, initial.token, { tls_client_certificate_bound_access_tokens: true });
    expectOAuthError(await put(bound, { dpop_bound_access_tokens: true }), 400, 'invalid_client_metadata');
    const signs = await aRegistered(api, initial.token, { require_signed_request_object: true, ...SIGNING });
    expectOAuthError(
      await put(signs, { token_endpoint_auth_method: 'none' }),
      400,
      'invalid_client_metadata',
    );
  });
});

describe('a replacement that names what is strict', () => {
  it.each<[string, Members, Members]>([
    ['dpop_bound_access_tokens', { dpop_bound_access_tokens: true }, { dpop_bound_access_tokens: false }],
    [
      'require_pushed_authorization_requests',
      { require_pushed_authorization_requests: true },
      { require_pushed_authorization_requests: false },
    ],
    [
      'require_signed_request_object',
      { require_signed_request_object: true, ...SIGNING },
      { require_signed_request_object: false, ...SIGNING },
    ],
    [
      'tls_client_certificate_bound_access_tokens',
      { tls_client_certificate_bound_access_tokens: true },
      { tls_client_certificate_bound_access_tokens: false },
    ],
    [
      'tls_client_auth_san_dns',
      BY_CERTIFICATE,
      { token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_san_uri: 'https://rp.test/client' },
    ],
    ['tls_client_auth_san_dns', BY_CERTIFICATE, { token_endpoint_auth_method: 'none' }],
  ])('has it otherwise: %s', async (member, registered, changes) => {
    expect(await replaced(registered, changes)).not.toHaveProperty(member);
  });

  it('may ask for other scopes', async () => {
    const client = await replaced({ scope: 'openid email' }, { scope: 'openid profile' });
    expect(client['scope']).toBe('openid profile');
  });

  it('has public subjects again', async () => {
    const client = await replaced({ subject_type: 'pairwise' }, { subject_type: 'public' });
    expect(client['subject_type']).toBe('public');
  });

  it('loosens nothing that the profile of an administrator holds it to', async () => {
    const client = await aRegistered(api, initial.token, { dpop_bound_access_tokens: true, ...SIGNING });
    await api.sql.query(`UPDATE applications SET security_profile = 'fapi2' WHERE client_id = $1`, [
      client.client_id,
    ]);
    await put(client, { dpop_bound_access_tokens: false, ...SIGNING });
    const pushed = await api.app.inject({
      url: `/oauth/v2/authorize?client_id=${client.client_id}&response_type=code&scope=openid&redirect_uri=https%3A%2F%2Frp.test%2Fcb`,
    });
    expect(pushed.headers.location ?? pushed.body).toContain('invalid_request');
  });
});
