import { generateKeyPairSync } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { anApplication } from '../support/applications.js';
import {
  basic,
  codeRequest,
  obtainTokens,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
} from '../support/browser-flow.js';
import { aProofKey, boundBy, proofOf, type ProofKey } from '../support/dpop.js';
import { applicationFile } from './support/application-file.js';
import { fetchOnce, type Pins } from './support/fetch-once.js';
import { ForeignApp } from './support/foreign-app.js';
import { record } from './support/matrix.js';
import { runClient } from './support/run-client.js';
import { Stage } from './support/stage.js';
import { walk } from './support/walk.js';

const VERSION = 'Spring Boot 4.1.0';
const PROGRAM = ['java', '-jar', 'target/example.jar'] as const;
const MAVEN: Pins = {
  files: ['pom.xml', ...sourcesOf('spring', 'src/main')],
  install: [['mvn', '--batch-mode', '--quiet', 'package']],
};

function sourcesOf(client: string, folder: string): string[] {
  const root = path.join(import.meta.dirname, 'clients', client);
  const entries = readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

describe('Spring Security, on a default application', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.build();
  });
  afterAll(() => stage.close());

  it('signs people in', async () => {
    await runClient(
      stage,
      {
        client: 'Spring Security, OAuth2 login',
        version: VERSION,
        steps: ['sign-in', 'refresh', 'logout'],
        application: applicationFile('spring'),
        argv: PROGRAM,
        loginPath: '/me',
      },
      await fetchOnce('spring', MAVEN),
    );
  });

  it('guards an API by JWT access tokens and by introspection', async () => {
    const { api, world, user, issuer } = stage;
    const made = await stage.manage<{ clientId: string; clientSecret: string }>(
      `projects/${world.projectId}/apps/api`,
      { name: 'My API' },
    );
    const opaque = await obtainTokens(api, await anApplication(world), user);
    const jwt = await obtainTokens(api, await anApplication(world, { accessTokenType: 'jwt' }), user);
    const app = await ForeignApp.start({
      cwd: await fetchOnce('spring', MAVEN),
      argv: [...PROGRAM, '--spring.profiles.active=api'],
      port: await anyFreePort(),
      redirectUri: '',
      registered: { issuer, clientId: 'not-used', clientSecret: 'not-used' },
      environment: { API_CLIENT_ID: made.clientId, API_CLIENT_SECRET: made.clientSecret },
    });
    const call = async (path: string, token: string): Promise<{ status: number; text: string }> => {
      const response = await fetch(`${app.origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
      return { status: response.status, text: await response.text() };
    };
    const mine = { status: 200, text: expect.stringContaining(`"sub":"${user.userId}"`) as string };
    const refused = { status: 401 };
    try {
      expect(await call('/api/jwt', jwt.access_token)).toEqual(mine);
      expect(await call('/api/introspected', jwt.access_token)).toEqual(mine);
      expect(await call('/api/introspected', opaque.access_token)).toEqual(mine);
      expect(await call('/api/jwt', opaque.access_token)).toMatchObject(refused);
      expect(await call('/api/introspected', 'no-token-at-all')).toMatchObject(refused);
    } catch (error) {
      throw new Error(app.output.slice(-3000), { cause: error });
    } finally {
      await app.stop();
    }
    const did = ['JWT access token', 'introspection of opaque and JWT'];
    await record({ client: 'Spring Security, resource server', version: VERSION, did });
  });

  it('signs people in with a key in place of the secret', async () => {
    const { issuer, world } = stage;
    const cwd = await fetchOnce('spring', MAVEN);
    const port = await anyFreePort();
    const apps = `projects/${world.projectId}/apps`;
    const { appId, clientId, clientSecret } = await stage.manage<Record<string, string>>(
      `${apps}/oidc`,
      applicationFile('spring', 'application-key.json')(`http://localhost:${port}`),
    );
    expect(clientSecret).toBeUndefined();
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    await writeFile(`${cwd}/key.pem`, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await writeFile(`${cwd}/public-key.pem`, pem);
    const { keyId = '' } = await stage.manage<Record<string, string>>(`${apps}/${appId}/keys`, {
      publicKey: pem,
    });
    const app = await ForeignApp.start({
      cwd,
      argv: [...PROGRAM, '--spring.profiles.active=key'],
      port,
      redirectUri: '',
      registered: { issuer, clientId: clientId ?? '', clientSecret: '' },
      environment: { KEY_ID: keyId },
    });
    const did = ['sign-in', 'refresh', 'logout'] as const;
    try {
      await walk(stage, app, did, '/me');
    } finally {
      await app.stop();
    }
    const client = 'Spring Security, OAuth2 login with private_key_jwt';
    const application = applicationFile('spring', 'application-key.json')('');
    await record({ client, version: VERSION, application, did });
  });

  it('guards an API by access tokens that are bound to a key', async () => {
    const { world, issuer } = stage;
    const rfc9068 = { accessTokenType: 'jwt', accessTokenAtJwt: true } as const;
    const key = await aProofKey();
    const bound = await boundTokens(stage, rfc9068, key);
    const plainType = await boundTokens(stage, { accessTokenType: 'jwt' }, key);
    const unbound = await obtainTokens(stage.api, await anApplication(world, rfc9068), stage.user);
    const app = await ForeignApp.start({
      cwd: await fetchOnce('spring', MAVEN),
      argv: [...PROGRAM, '--spring.profiles.active=dpop'],
      port: await anyFreePort(),
      redirectUri: '',
      registered: { issuer, clientId: 'not-used', clientSecret: 'not-used' },
      environment: { API_AUDIENCE: world.projectId },
    });
    const url = `${app.origin}/api/bound`;
    const call = async (
      headers: Record<string, string>,
      method = 'GET',
    ): Promise<{ status: number; told: string; text: string }> => {
      const response = await fetch(url, { method, headers });
      const told = response.headers.get('www-authenticate') ?? '';
      return { status: response.status, told, text: await response.text() };
    };
    const mine = {
      status: 200,
      text: expect.stringContaining(`"sub":"${stage.user.userId}"`) as string,
    };
    const refused = (word: string): object => ({
      status: 401,
      told: expect.stringMatching(`^DPoP .*${word}`) as string,
    });
    try {
      const headers = await boundBy(key, bound, 'GET', url);
      expect(await call(headers)).toMatchObject(mine);
      expect(await call(await boundBy(key, bound, 'POST', url), 'POST')).toMatchObject(mine);

      // the same proof twice, a proof for another call, by another key, for another token, none at all
      expect(await call(headers)).toMatchObject(refused('invalid_dpop_proof'));
      expect(await call(await boundBy(key, bound, 'POST', url))).toMatchObject(refused('invalid_dpop_proof'));
      const foreign = await boundBy(await aProofKey(), bound, 'GET', url);
      expect(await call(foreign)).toMatchObject(refused('invalid_dpop_proof'));
      const forAnother = { ...(await boundBy(key, unbound.access_token, 'GET', url)), ...dpop(bound) };
      expect(await call(forAnother)).toMatchObject(refused('invalid_dpop_proof'));
      expect(await call(dpop(bound))).toMatchObject(refused('invalid_request'));

      // a bound token as one for whoever bears it, and the reverse
      expect(await call({ authorization: `Bearer ${bound}` })).toMatchObject(refused('algs='));
      const asBearer = { ...(await boundBy(key, bound, 'GET', url)), authorization: `Bearer ${bound}` };
      expect(await call(asBearer)).toMatchObject(refused('algs='));
      const neverBound = await boundBy(key, unbound.access_token, 'GET', url);
      expect(await call(neverBound)).toMatchObject(refused('invalid_dpop_proof'));
      expect(await call({ authorization: `Bearer ${unbound.access_token}` })).toMatchObject(refused('algs='));

      // a JWT that is not an access token by RFC 9068
      expect(await call(await boundBy(key, plainType, 'GET', url))).toMatchObject(refused('invalid_token'));
      expect(await call({})).toMatchObject(refused('algs='));
    } catch (error) {
      throw new Error(app.output.slice(-3000), { cause: error });
    } finally {
      await app.stop();
    }
    const did = ['JWT access tokens by RFC 9068 with DPoP'];
    await record({ client: 'Spring Security, resource server with DPoP', version: VERSION, did });
  });
});

function dpop(token: string): Record<string, string> {
  return { authorization: `DPoP ${token}` };
}

/** A user's access token that is bound to the key. */
async function boundTokens(
  { api, world, user, issuer }: Stage,
  settings: Parameters<typeof anApplication>[1],
  key: ProofKey,
): Promise<string> {
  const client = await anApplication(world, settings);
  const code = redirected(await new TestBrowser(api).signIn(codeRequest(client), user)).get('code') ?? '';
  const proof = await proofOf(key, 'POST', `${issuer}/oauth/v2/token`);
  const answered = await requestToken(api, redemption(code), { ...basic(client), dpop: proof });
  const { token_type: type, access_token: token } = answered.json<Record<string, string>>();
  if (type !== 'DPoP' || token === undefined) throw new Error(answered.body);
  return token;
}
