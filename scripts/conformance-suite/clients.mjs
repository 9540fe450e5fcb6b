// What the plans of the OpenID Foundation's suite need of the service: a person whose claims are all there, and a client for each kind of
// plan. Made by the management API with a token of an administrator, in a project of their own.
import { generateKeyPairSync } from 'node:crypto';

const CODE = 'OIDC_GRANT_TYPE_AUTHORIZATION_CODE';
const REFRESH = 'OIDC_GRANT_TYPE_REFRESH_TOKEN';
const IMPLICIT = {
  responseTypes: ['OIDC_RESPONSE_TYPE_ID_TOKEN', 'OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN'],
  grantTypes: ['OIDC_GRANT_TYPE_IMPLICIT'],
};
const HYBRID = {
  responseTypes: ['CODE', 'CODE_ID_TOKEN', 'CODE_TOKEN', 'CODE_ID_TOKEN_TOKEN'].map(
    (type) => `OIDC_RESPONSE_TYPE_${type}`,
  ),
  grantTypes: [CODE, 'OIDC_GRANT_TYPE_IMPLICIT', REFRESH],
};
const POST = { authMethodType: 'OIDC_AUTH_METHOD_TYPE_POST' };
const BOUND = { tlsClientCertificateBoundAccessTokens: true };
const SIGNS_MESSAGES = { securityProfile: 'OIDC_SECURITY_PROFILE_FAPI2_MESSAGE_SIGNING' };

/** A line of a bulk import (docs/imports.md): a claim that is missing is a warning of the suite. */
export function person(password) {
  return {
    userName: 'buffy.summers',
    password,
    profile: {
      firstName: 'Buffy',
      lastName: 'Summers',
      middleName: 'Anne',
      nickName: 'Slayer',
      displayName: 'Buffy Anne Summers',
      preferredLanguage: 'en',
      gender: 'GENDER_FEMALE',
      profile: 'https://example.com/buffy',
      picture: 'https://example.com/buffy.png',
      website: 'https://buffy.example.com/',
      birthdate: '1981-01-19',
      zoneinfo: 'America/Los_Angeles',
      address: {
        formatted: '1630 Revello Drive\nSunnydale, CA 95037\nUSA',
        streetAddress: '1630 Revello Drive',
        locality: 'Sunnydale',
        region: 'CA',
        postalCode: '95037',
        country: 'US',
      },
    },
    email: { email: 'buffy@sunnydale.example', isEmailVerified: true },
    phone: { phone: '+13105550119', isPhoneVerified: true },
  };
}

/**
 * @param {(method: string, path: string, body?: unknown) => Promise<any>} call of the management API
 * @param {string} base the suite's address for the plans: `https://suite.test:8443/test/a/<alias>`
 * @param {readonly string[]} subjects of the certificates of the two clients that show one, as RFC 4514 writes them
 * @returns the `client…` members of a plan's configuration, by the kind of plan
 */
export async function makeClients(call, base, subjects) {
  const { id: projectId } = await call('POST', 'projects', {
    name: `Conformance ${new Date().toISOString()}`,
  });
  const callback = `${base}/callback`;
  let count = 0;

  async function client(settings = {}) {
    count += 1;
    const made = await call('POST', `projects/${projectId}/apps/oidc`, {
      name: `Suite ${count}`,
      redirectUris: [callback, `${callback}?dummy1=lorem&dummy2=ipsum`],
      postLogoutRedirectUris: [`${base}/post_logout_redirect`],
      grantTypes: [CODE, REFRESH],
      ...settings,
    });
    return { appId: made.appId, client_id: made.clientId, client_secret: made.clientSecret };
  }

  async function three(settings = {}) {
    return {
      client: await client(settings),
      client2: await client(settings),
      client_secret_post: await client({ ...settings, ...POST }),
    };
  }

  async function fapiClient(alg, settings) {
    const { appId, client_id } = await client({
      postLogoutRedirectUris: [],
      securityProfile: 'OIDC_SECURITY_PROFILE_FAPI2',
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
      ...settings,
    });
    const kind = alg === 'ES256' ? ['ec', { namedCurve: 'P-256' }] : ['rsa', { modulusLength: 2048 }];
    const { privateKey, publicKey } = generateKeyPairSync(...kind);
    const signs = settings.authMethodType === undefined;
    const kid = signs
      ? (
          await call('POST', `projects/${projectId}/apps/${appId}/keys`, {
            publicKey: publicKey.export({ format: 'pem', type: 'spki' }),
          })
        ).id
      : 'unused';
    return {
      client_id,
      scope: 'openid offline_access',
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }] },
    };
  }

  async function two(settings = {}) {
    return { client: await fapiClient('ES256', settings), client2: await fapiClient('PS256', settings) };
  }

  async function byCertificate(settings = {}) {
    const [first, second] = subjects.map((tlsClientAuthSubjectDn) => ({
      ...settings,
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH',
      tlsClientAuthSubjectDn,
    }));
    return { client: await fapiClient('ES256', first), client2: await fapiClient('PS256', second) };
  }

  const { token } = await call('POST', 'orgs/me/initial_access_tokens', {
    name: 'Suite',
    projectId,
    mostUses: 500,
    expirationDate: new Date(Date.now() + 12 * 3_600_000).toISOString(),
  });
  const registering = { client_name: 'Suite', initial_access_token: token };
  return {
    code: await three(),
    implicit: await three(IMPLICIT),
    hybrid: await three(HYBRID),
    backChannel: { client: await client({ backChannelLogoutUri: `${base}/backchannel_logout` }) },
    frontChannel: {
      client: await client({
        frontChannelLogoutUri: `${base}/frontchannel_logout`,
        frontChannelLogoutSessionRequired: true,
      }),
    },
    session: { client: await client({ sessionManagement: true }) },
    dynamic: { client: registering, client2: registering },
    fapi: await two(),
    fapiMtls: await two(BOUND),
    fapiCertificates: await byCertificate(),
    fapiCertificatesMtls: await byCertificate(BOUND),
    messages: await two(SIGNS_MESSAGES),
    messagesMtls: await two({ ...SIGNS_MESSAGES, ...BOUND }),
  };
}
