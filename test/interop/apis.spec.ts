import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { run } from '../../scripts/processes.mjs';
import { versionOf } from './support/client-folder.js';
import { fetchOnce } from './support/fetch-once.js';
import { ForeignApp } from './support/foreign-app.js';
import { record } from './support/matrix.js';
import { Stage } from './support/stage.js';

// A service user's token by one library, asked about by another: keys as the service hands them out, secrets as made.

const FOLDER = 'zitadel-api';

describe('libraries of APIs and service users', () => {
  let stage: Stage;
  let cwd: string;
  let userId: string;
  let projectId: string;
  let token: string;

  beforeAll(async () => {
    stage = await Stage.build();
    projectId = stage.world.projectId;
    cwd = await fetchOnce(FOLDER);
    ({ userId } = await stage.manage<{ userId: string }>('users/machine', {
      userName: 'robot',
      name: 'Robot',
    }));
    token = await tokenByLibrary(await newKey(`users/${userId}/keys`));
  });
  afterAll(() => stage.close());

  it('@zitadel/node gets a token by key file', async () => {
    expect(token).not.toBe('');
    await record({
      client: '@zitadel/node',
      version: await versionOf(FOLDER, '@zitadel/node'),
      did: ['JWT profile without jti'],
    });
  });

  it.each([
    ['by key file', 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT'],
    ['by secret', 'API_AUTH_METHOD_TYPE_BASIC'],
  ])('passport-zitadel asks about it %s', async (how, authMethodType) => {
    const made = await stage.manage<{ appId: string; clientId: string; clientSecret?: string }>(
      `projects/${projectId}/apps/api`,
      { name: `API ${how}`, authMethodType },
    );
    const { appId, clientId, clientSecret = '' } = made;
    const byKey = clientSecret === '';
    const environment = byKey
      ? { API_KEY: await newKey(`projects/${projectId}/apps/${appId}/keys`) }
      : undefined;
    const port = await anyFreePort();
    const app = await ForeignApp.start({
      cwd,
      argv: [process.execPath, 'app.mjs'],
      port,
      redirectUri: '',
      registered: { issuer: stage.issuer, clientId, clientSecret },
      ...(environment && { environment }),
    });
    try {
      const call = (authorization: string) => fetch(`${app.origin}/`, { headers: { authorization } });
      // by key the library shows one assertion for an hour, and an assertion is good once: there the second is refused
      for (const turn of byKey ? ['first'] : ['first', 'second']) {
        const answer = await call(`Bearer ${token}`);
        const text = await answer.text();
        expect([turn, answer.status, text], app.output).toEqual([
          turn,
          200,
          expect.stringContaining(`"sub":"${userId}"`),
        ]);
      }
      expect((await call('Bearer nonsense')).status).toBe(401);
    } finally {
      await app.stop();
    }
    await record({
      client: `passport-zitadel, ${how}`,
      version: await versionOf(FOLDER, 'passport-zitadel'),
      did: ['introspection'],
    });
  });

  /** The key file as its receiver keeps it. */
  async function newKey(path: string): Promise<string> {
    const { keyDetails } = await stage.manage<{ keyDetails: string }>(path, { type: 'KEY_TYPE_JSON' });
    return Buffer.from(keyDetails, 'base64').toString();
  }

  async function tokenByLibrary(key: string): Promise<string> {
    const { code, output } = await run(process.execPath, ['token.mjs'], {
      cwd,
      env: { PATH: process.env['PATH'], ISSUER: stage.issuer, USER_KEY: key, PROJECT: projectId },
    });
    if (code !== 0) throw new Error(output);
    return output;
  }
});
