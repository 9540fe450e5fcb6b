import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { expectDeviceTool } from '../conformance/support/device-tool.js';
import { endProgram, startProgram, type RunningProgram } from '../conformance/support/running-program.js';
import { applicationFile } from './support/application-file.js';
import { fetchOnce, type Pins } from './support/fetch-once.js';
import { ForeignApp } from './support/foreign-app.js';
import { record } from './support/matrix.js';
import { runClient } from './support/run-client.js';
import { Stage, type Registered } from './support/stage.js';
import { walk, type Step } from './support/walk.js';

const GO: Pins = { files: ['go.mod', 'go.sum', 'main.go'], install: [['go', 'build', '-o', 'client', '.']] };
const PROGRAM = ['./client'] as const;
const STEPS: readonly Step[] = ['sign-in', 'userinfo', 'refresh', 'revocation', 'logout'];

/** The release before assertions got a `jti`, with the same program. */
const OLDER: Pins = {
  files: ['older.mod', 'older.sum', 'main.go'],
  install: [['go', 'build', '-modfile=older.mod', '-o', 'older', '.']],
};

describe('clients written in Go, on a default application', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.build();
  });
  afterAll(() => stage.close());

  it('go-oidc', async () => {
    const application = applicationFile('go-oidc');
    const client = { client: 'go-oidc', version: '3.21.0', steps: STEPS, application, argv: PROGRAM };
    await runClient(stage, client, await fetchOnce('go-oidc', GO));
  });

  it('zitadel/oidc', async () => {
    const application = applicationFile('zitadel-oidc');
    const client = { client: 'zitadel/oidc', version: '3.51.17', steps: STEPS, application, argv: PROGRAM };
    await runClient(stage, client, await fetchOnce('zitadel-oidc', GO));
  });

  it('zitadel/oidc in a command-line tool, whose user types its code in a browser', async () => {
    const cwd = await fetchOnce('zitadel-device', GO);
    const { clientId } = await stage.addApplication(applicationFile('zitadel-device')(''));
    const env = { HOME: await mkdtemp(path.join(tmpdir(), 'identity-go-')), ISSUER: stage.issuer };
    const running: RunningProgram[] = [];
    const start = (...words: readonly string[]) => {
      const argv = [path.join(cwd, 'client'), ...words] as const;
      const program = startProgram(argv, { cwd, env: { ...env, CLIENT_ID: clientId } });
      running.push(program);
      return program;
    };
    try {
      await expectDeviceTool(
        { tool: () => start(), logout: () => start('logout') },
        stage.issuer,
        stage.user,
      );
    } finally {
      for (const program of running) await endProgram(program);
      await rm(env.HOME, { recursive: true, force: true });
    }
    const did = ['device authorization grant', 'refresh', 'userinfo', 'revocation'];
    await record({
      client: 'zitadel/oidc, a device',
      version: '3.51.17',
      application: applicationFile('zitadel-device')(''),
      did,
    });
  });

  it('zitadel/oidc with keys', async () => {
    const cwd = await fetchOnce('zitadel-oidc', GO);
    const byKey = { name: 'With a key', authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT' };
    const { application, app, robotId } = await startWithKeys(cwd, PROGRAM, byKey);
    expect(application.clientSecret).toBe('');
    const steps: readonly Step[] = [
      'sign-in',
      'userinfo',
      'refresh',
      'introspection',
      'revocation',
      'logout',
    ];
    try {
      await walk(stage, app, steps);
      await expectServiceToken(app, robotId);
    } finally {
      await app.stop();
    }
    const did = [...steps, 'JWT profile grant'];
    await record({
      client: 'zitadel/oidc, private_key_jwt',
      version: '3.51.17',
      application: { ...applicationFile('zitadel-oidc')(''), ...byKey },
      did,
    });
  });

  // The web application has a secret here: this release signs its assertion for two audiences, which security S070 refuses.
  it('zitadel/oidc 3.45 with keys, whose assertions have no jti', async () => {
    const cwd = await fetchOnce('zitadel-oidc', OLDER);
    const { app, robotId } = await startWithKeys(cwd, ['./older'], { name: 'With an older key' });
    const steps: readonly Step[] = ['sign-in', 'introspection'];
    try {
      await walk(stage, app, steps);
      await expectServiceToken(app, robotId);
    } finally {
      await app.stop();
    }
    const did = [...steps, 'JWT profile grant'];
    await record({ client: 'zitadel/oidc, assertions without jti', version: '3.45.4', did });
  });

  /** An application, an API and a service user; the last two always have keys. */
  async function startWithKeys(
    cwd: string,
    argv: readonly [string, ...string[]],
    more: { readonly name: string; readonly authMethodType?: string },
  ): Promise<{ app: ForeignApp; application: Registered; robotId: string }> {
    const port = await anyFreePort();
    const json = { ...applicationFile('zitadel-oidc')(`http://localhost:${port}`), ...more };
    const apps = `projects/${stage.world.projectId}/apps`;
    const { appId, clientId, clientSecret = '' } = await stage.manage<Added>(`${apps}/oidc`, json);
    const authMethodType = 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT';
    const api = await stage.manage<Added>(`${apps}/api`, { name: `${more.name}: API`, authMethodType });
    const robot = { userName: `robot-${appId}`, name: 'Robot' };
    const { userId: robotId } = await stage.manage<{ userId: string }>('users/machine', robot);
    const environment = {
      ...(clientSecret === '' && { APP_KEY_FILE: await keyFile(cwd, 'app', `${apps}/${appId}/keys`) }),
      API_KEY_FILE: await keyFile(cwd, 'api', `${apps}/${api.appId}/keys`),
      SERVICE_KEY_FILE: await keyFile(cwd, 'service', `users/${robotId}/keys`),
    };
    const application = { issuer: stage.issuer, clientId, clientSecret };
    const [redirectUri = ''] = json.redirectUris;
    const started = { cwd, argv, port, redirectUri, registered: application, environment };
    return { app: await ForeignApp.start(started), application, robotId };
  }

  async function expectServiceToken(app: ForeignApp, robotId: string): Promise<void> {
    const service = await fetch(`${app.origin}/service`);
    const text = await service.text();
    expect(service.status, text).toBe(200);
    const { accessToken } = JSON.parse(text) as { accessToken: string };
    const headers = { authorization: `Bearer ${accessToken}` };
    const info = await fetch(`${stage.issuer}/oidc/v1/userinfo`, { headers });
    expect(await info.json()).toMatchObject({ sub: robotId });
  }

  /** A key as the service hands it out, in the file that the library reads. */
  async function keyFile(folder: string, name: string, keys: string): Promise<string> {
    const { keyDetails } = await stage.manage<{ keyDetails: string }>(keys, {});
    const file = path.join(folder, `${name}-key.json`);
    await writeFile(file, Buffer.from(keyDetails, 'base64'), { mode: 0o600 });
    return file;
  }
});

interface Added {
  readonly appId: string;
  readonly clientId: string;
  readonly clientSecret?: string;
}
