import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { anApplication } from '../support/applications.js';
import { obtainTokens } from '../support/browser-flow.js';
import { applicationFile } from './support/application-file.js';
import { fetchOnce, type Pins } from './support/fetch-once.js';
import { ForeignApp } from './support/foreign-app.js';
import { record } from './support/matrix.js';
import { runClient } from './support/run-client.js';
import { Stage } from './support/stage.js';

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
});
