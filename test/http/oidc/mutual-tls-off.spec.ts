import { describe, expect, it } from 'vitest';
import { aReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { refreshRequest } from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { aCertificate, anAuthority } from '../../support/certificates.js';
import { REGISTER, registering } from '../../support/client-registration.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

const authority = await anAuthority();
const certificate = await aCertificate({ issuer: authority });
const proxied = { 'x-forwarded-for': '198.51.100.7', 'client-cert': certificate.header };
const { api, world } = useWorld({ TRUSTED_PROXIES: '127.0.0.1' });

const OF_A_CERTIFICATE = {
  redirect_uris: ['https://rp.test/cb'],
  token_endpoint_auth_method: 'tls_client_auth',
  tls_client_auth_subject_dn: 'CN=client',
};

describe('without MTLS_CERTIFICATE_HEADER', () => {
  it('no certificate counts', async () => {
    const client = await anApplication(world, {
      authMethod: 'tls_client_auth',
      tlsClientAuthSubjectDn: 'CN=client,O=Example,C=DE',
    });
    const form = refreshRequest('rt', { client_id: client.clientId });
    expectOAuthError(await postForm(api, '/oauth/v2/token', form, proxied), 401, 'invalid_client');
  });

  it('no client can register for one', async () => {
    const open = await aReplica(api, {
      CLIENT_REGISTRATION: 'open',
      CLIENT_REGISTRATION_PROJECT: world.projectId,
    });
    const response = await registering(open, 'POST', REGISTER, undefined, OF_A_CERTIFICATE);
    expectOAuthError(response, 400, 'invalid_client_metadata');
  });
});

describe('with it', () => {
  it.each([
    ['', ['self_signed_tls_client_auth'], 400],
    [authority.pem, ['tls_client_auth', 'self_signed_tls_client_auth'], 201],
  ])('methods depend on whether there are authorities', async (authorities, methods, status) => {
    const serving = await aReplica(api, {
      MTLS_CERTIFICATE_HEADER: 'Client-Cert',
      ...(authorities === '' ? {} : { MTLS_CA_CERTIFICATES: authorities }),
      TRUSTED_PROXIES: '127.0.0.1',
      CLIENT_REGISTRATION: 'open',
      CLIENT_REGISTRATION_PROJECT: world.projectId,
    });
    const document = (await serving.app.inject('/.well-known/openid-configuration')).json<
      Record<string, unknown>
    >();
    expect(document['token_endpoint_auth_methods_supported']).toEqual([
      'client_secret_basic',
      'client_secret_post',
      'none',
      'private_key_jwt',
      ...methods,
    ]);
    expect(document).not.toHaveProperty('mtls_endpoint_aliases');
    const response = await registering(serving, 'POST', REGISTER, undefined, {
      ...OF_A_CERTIFICATE,
      tls_client_certificate_bound_access_tokens: true,
    });
    expect(response.statusCode).toBe(status);
    if (status !== 201) return;
    expect(response.json()).toMatchObject({
      token_endpoint_auth_method: 'tls_client_auth',
      tls_client_auth_subject_dn: 'CN=client',
      tls_client_certificate_bound_access_tokens: true,
    });
  });
});
