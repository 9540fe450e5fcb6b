import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { HttpBrowser } from '../conformance/http-browser.js';
import { applicationFile } from './support/application-file.js';
import { fetchOnce } from './support/fetch-once.js';
import { ForeignApp } from './support/foreign-app.js';
import { record } from './support/matrix.js';
import { pythonPins, VENV_PYTHON } from './support/python-pins.js';
import { Stage, type Registered } from './support/stage.js';
import { walk, type Step } from './support/walk.js';

// The application of docs/quickstart/mobile.md as it stands: no port is registered, and no development mode.
describe('a native application', () => {
  let stage: Stage;
  let registered: Registered;
  beforeAll(async () => {
    stage = await Stage.build();
    registered = await stage.addApplication(applicationFile('native')(''));
  });
  afterAll(() => stage.close());

  it('signs in by a loopback redirect with any port', async () => {
    const cwd = await fetchOnce('native', pythonPins());
    const steps: readonly Step[] = ['sign-in', 'userinfo', 'refresh', 'revocation'];
    for (const port of [await anyFreePort(), await anyFreePort()]) {
      const argv = [VENV_PYTHON, 'app.py'] as const;
      const app = await ForeignApp.start({ cwd, argv, port, redirectUri: '', registered });
      try {
        await walk(stage, app, steps);
      } finally {
        await app.stop();
      }
    }
    await record({
      client: 'Authlib (native, loopback)',
      version: '1.9.9',
      application: applicationFile('native')(''),
      did: steps,
    });
  });

  it('signs in and out by a scheme of its own', async () => {
    const { issuer, user } = stage;
    const { clientId } = registered;
    const browser = new HttpBrowser(issuer);
    const verifier = randomBytes(32).toString('base64url');
    const asked = {
      client_id: clientId,
      redirect_uri: 'com.example.app:/callback',
      response_type: 'code',
      scope: 'openid profile email offline_access',
      state: 'state-of-the-app',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    const authorize = new URL(`/oauth/v2/authorize?${new URLSearchParams(asked).toString()}`, issuer);
    const answer = await browser.openAndSignIn(authorize, user);
    expect(`${answer.protocol}${answer.pathname}`).toBe('com.example.app:/callback');

    const response = await fetch(`${issuer}/oauth/v2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: answer.searchParams.get('code') ?? '',
        redirect_uri: asked.redirect_uri,
        client_id: clientId,
        code_verifier: verifier,
      }),
    });
    const tokens = (await response.json()) as Record<string, string>;
    expect(Object.keys(tokens)).toEqual(
      expect.arrayContaining(['access_token', 'refresh_token', 'id_token']),
    );

    const over = new URLSearchParams({
      id_token_hint: tokens['id_token'] ?? '',
      post_logout_redirect_uri: 'com.example.app:/signed-out',
    });
    const out = await browser.open(new URL(`/oidc/v1/end_session?${over.toString()}`, issuer));
    expect(out).toMatchObject({ left: expect.objectContaining({ protocol: 'com.example.app:' }) as URL });
  });
});
