import { afterAll, beforeAll, describe, it } from 'vitest';
import { applicationFile } from './support/application-file.js';
import { versionOf } from './support/client-folder.js';
import { fetchOnce } from './support/fetch-once.js';
import { runClient, webApplication, type Client } from './support/run-client.js';
import { Stage } from './support/stage.js';

interface NodeClient extends Omit<Client, 'argv' | 'version'> {
  /** Folder in `test/interop/clients`. */
  readonly folder: string;
  readonly package: string;
  readonly program?: string;
}

const CLIENTS: readonly NodeClient[] = [
  {
    client: 'openid-client 6',
    folder: 'openid-client-6',
    package: 'openid-client',
    steps: ['sign-in', 'userinfo', 'refresh', 'introspection', 'revocation', 'logout'],
    application: webApplication,
    tweak: 'introspection: ClientSecretBasic',
  },
  {
    client: 'openid-client 5',
    folder: 'openid-client-5',
    package: 'openid-client',
    steps: ['sign-in', 'userinfo', 'refresh', 'introspection', 'revocation', 'logout'],
    application: webApplication,
  },
  {
    client: 'oauth4webapi',
    folder: 'oauth4webapi',
    package: 'oauth4webapi',
    steps: ['sign-in', 'userinfo', 'refresh', 'introspection', 'revocation'],
    application: webApplication,
  },
  {
    client: 'passport-openidconnect',
    folder: 'passport-openidconnect',
    package: 'passport-openidconnect',
    steps: ['sign-in'],
    application: webApplication,
  },
  {
    client: 'express-openid-connect, code',
    folder: 'express-openid-connect',
    package: 'express-openid-connect',
    steps: ['sign-in', 'userinfo', 'refresh', 'logout'],
    application: applicationFile('express-openid-connect'),
  },
  {
    client: 'express-openid-connect, ID token by form',
    folder: 'express-openid-connect',
    package: 'express-openid-connect',
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
    folder: 'auth-express',
    package: '@auth/express',
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
    folder: 'simple-oauth2',
    package: 'simple-oauth2',
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

  it.each(CLIENTS)('$client', async ({ folder, package: name, program = 'app.mjs', ...client }) => {
    const cwd = await fetchOnce(folder);
    const version = await versionOf(folder, name);
    await runClient(stage, { ...client, version, argv: [process.execPath, program] }, cwd);
  });
});
