import { createPrivateKey, sign } from 'node:crypto';
import { PlainBrowser } from '../scripts/code-flow.mjs';
import { call } from './instances.mjs';
import { PASSWORD } from './population.mjs';

// Programs that the load stands for: applications, a resource server, service users, and tokens of all of them.

const REDIRECT_URI = 'http://localhost:3000/callback';
/** Service users of each kind: requests of one and the same caller would share their look-ups. */
const ROBOTS = 16;

export function basic({ clientId, clientSecret }) {
  const pair = [clientId, clientSecret].map(encodeURIComponent).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** Registers them on the instance. */
export async function addPrograms(instance) {
  const { pat } = instance.credentials.serviceUser;
  const post = (path, body) => call(instance, pat, 'POST', `/management/v1${path}`, body);
  const { id: projectId } = await post('/projects', { name: 'bench' });
  const application = async (name, accessTokenType) => {
    const body = {
      name,
      redirectUris: [REDIRECT_URI],
      responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
      grantTypes: [
        'OIDC_GRANT_TYPE_AUTHORIZATION_CODE',
        'OIDC_GRANT_TYPE_REFRESH_TOKEN',
        'OIDC_GRANT_TYPE_TOKEN_EXCHANGE',
      ],
      appType: 'OIDC_APP_TYPE_WEB',
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
      devMode: true,
      accessTokenType,
    };
    return { ...(await post(`/projects/${projectId}/apps/oidc`, body)), redirectUri: REDIRECT_URI };
  };
  instance.opaqueApplication = await application('opaque', 'OIDC_TOKEN_TYPE_BEARER');
  instance.jwtApplication = await application('jwt', 'OIDC_TOKEN_TYPE_JWT');
  instance.resourceServer = await post(`/projects/${projectId}/apps/api`, {
    name: 'resource server',
    authMethodType: 'API_AUTH_METHOD_TYPE_BASIC',
  });
  const robots = (kind, accessTokenType) =>
    Promise.all(
      Array.from({ length: ROBOTS }, async (_, number) => {
        const userName = `${kind}-robot-${number}`;
        const { userId } = await post('/users/machine', { userName, name: 'Robot', accessTokenType });
        const secret = await call(instance, pat, 'PUT', `/management/v1/users/${userId}/secret`, {});
        const { keyDetails } = await post(`/users/${userId}/keys`, { type: 'KEY_TYPE_JSON' });
        const keyFile = JSON.parse(Buffer.from(keyDetails, 'base64').toString());
        return { ...keyFile, clientId: secret.clientId, clientSecret: secret.clientSecret };
      }),
    );
  instance.opaqueRobots = await robots('opaque', 'ACCESS_TOKEN_TYPE_BEARER');
  instance.jwtRobots = await robots('jwt', 'ACCESS_TOKEN_TYPE_JWT');
}

/** Signs people in, each with a browser of its own, and gives the tokens that they got. */
export async function tokensOf(instance, application, count) {
  const { issuer } = instance;
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const answer = await new PlainBrowser(issuer).authorize(
        {
          client_id: application.clientId,
          redirect_uri: application.redirectUri,
          response_type: 'code',
          scope: 'openid profile email offline_access',
        },
        { loginName: instance.nextName(), password: PASSWORD },
      );
      const response = await fetch(`${issuer}/oauth/v2/token`, {
        method: 'POST',
        headers: { authorization: basic(application) },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: answer.get('code'),
          redirect_uri: application.redirectUri,
        }),
      });
      if (!response.ok) throw new Error(`the token endpoint answered ${response.status}`);
      return await response.json();
    }),
  );
}

/** What a service user's library sends (RFC 7523 §2.1): signed with its key, good for an hour, without a jti. */
export function assertionOf({ userId, keyId, key }, issuer) {
  const now = Math.floor(Date.now() / 1000);
  const part = (json) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const claims = { iss: userId, sub: userId, aud: issuer, iat: now, exp: now + 3600 };
  const input = `${part({ alg: 'RS256', kid: keyId })}.${part(claims)}`;
  return `${input}.${sign('sha256', input, createPrivateKey(key)).toString('base64url')}`;
}
