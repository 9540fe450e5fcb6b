import { afterAll, beforeAll, describe, it } from 'vitest';
import { fetchOnce } from './support/fetch-once.js';
import { type Client, runClient, webApplication } from './support/run-client.js';
import { Stage } from './support/stage.js';

interface NodeClient extends Omit<Client, 'argv'> {
  /** Folder in `test/interop/clients`. */
  readonly folder: string;
  readonly program?: string;
}

const CLIENTS: readonly NodeClient[] = [
  {
    client: 'openid-client 6',
    version: '6.8.9',
    folder: 'openid-client-6',
    steps: ['sign-in', 'userinfo', 'refresh', 'introspection', 'revocation', 'logout'],
    application: webApplication,
    tweak: 'introspection: ClientSecretBasic',
  },
  {
    client: 'openid-client 5',
    version: '5.7.1',
    folder: 'openid-client-5',
    steps: ['sign-in', 'userinfo', 'refresh', 'introspection', 'revocation', 'logout'],
    application: webApplication,
  },
  {
    client: 'oauth4webapi',
    version: '3.8.8',
    folder: 'oauth4webapi',
    steps: ['sign-in', 'userinfo', 'refresh', 'introspection', 'revocation'],
    application: webApplication,
  },
  {
    client: 'passport-openidconnect',
    version: '0.1.2',
    folder: 'passport-openidconnect',
    steps: ['sign-in'],
    application: webApplication,
  },
  {
    client: 'express-openid-connect, code',
    version: '3.4.0',
    folder: 'express-openid-connect',
    steps: ['sign-in', 'userinfo', 'refresh', 'logout'],
    application: (origin) => webApplication(origin, { postLogoutRedirectUris: [origin] }),
  },
  {
    client: 'express-openid-connect, ID token by form',
    version: '3.4.0',
    folder: 'express-openid-connect',
    program: 'id-token.mjs',
    steps: ['sign-in', 'logout'],
    application: (origin) =>
      webApplication(origin, {
        responseTypes: ['OIDC_RESPONSE_TYPE_ID_TOKEN'],
        grantTypes: ['OIDC_GRANT_TYPE_IMPLICIT'],
        authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
        postLogoutRedirectUris: [origin],
      }),
  },
  {
    client: 'Auth.js for Express',
    version: '0.12.3',
    folder: 'auth-express',
    steps: ['sign-in', 'refresh'],
    // it reads name and e-mail from the ID token alone
    application: (origin) =>
      webApplication(origin, {
        redirectUris: [`${origin}/auth/callback/identity`],
        idTokenUserinfoAssertion: true,
      }),
    tweak: 'application: idTokenUserinfoAssertion',
  },
  {
    client: 'simple-oauth2',
    version: '5.1.0',
    folder: 'simple-oauth2',
    steps: ['sign-in', 'userinfo', 'refresh', 'revocation'],
    application: webApplication,
  },
];

describe('client libraries of Node.js, on a default application', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.build();
  });
  afterAll(() => stage.close());

  it.each(CLIENTS)('$client', async ({ folder, program = 'app.mjs', ...client }) => {
    const cwd = await fetchOnce(folder);
    await runClient(stage, { ...client, argv: [process.execPath, program] }, cwd);
  });
});
