import { applicationFile } from './application-file.js';
import { webApplication } from './default-application.js';
import type { Client } from './run-client.js';

// The clients of javascript.spec.ts, which `npm test` compares with docs/clients.md.

export interface NodeClient extends Omit<Client, 'argv' | 'version'> {
  /** Folder in `test/interop/clients`. */
  readonly folder: string;
  readonly package: string;
  readonly program?: string;
}

export const NODE_CLIENTS: readonly NodeClient[] = [
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
  },
  {
    client: 'simple-oauth2',
    folder: 'simple-oauth2',
    package: 'simple-oauth2',
    steps: ['sign-in', 'userinfo', 'refresh', 'revocation'],
    application: webApplication,
  },
];
