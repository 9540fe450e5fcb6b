import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { pkce, PlainBrowser } from '../../scripts/code-flow.mjs';
import { makeTestFolder } from '../../scripts/test-folder.mjs';
import { IdentityProcess } from '../workers/support/identity-process.js';
import {
  archiveNow,
  restoreUntil,
  startArchivingPostgres,
  takeBaseBackup,
  within,
} from './support/base-backup.js';
import type { Credentials } from './support/load.js';
import { Site } from './support/site.js';

// docs/backup.md, done: a base backup of a service at work, its log, and a fresh cluster at a moment between the two. Whatever
// was ended after that moment is alive in it, and `identity restore finish` ends it before anybody is served.

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** An application and a browser of its user, at one origin. */
class Visit {
  readonly browser: PlainBrowser;

  constructor(
    readonly origin: string,
    private readonly credentials: Credentials,
  ) {
    this.browser = new PlainBrowser(origin);
  }

  /** @param prompt `none` where the session is asked for */
  async authorize(prompt?: 'none'): Promise<{ parameters: URLSearchParams; verifier: string }> {
    const { admin, webApplication } = this.credentials;
    const { verifier, challenge } = pkce();
    const parameters = await this.browser.authorize(
      {
        client_id: webApplication.clientId,
        redirect_uri: webApplication.redirectUri,
        response_type: 'code',
        scope: 'openid offline_access',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...(prompt !== undefined && { prompt }),
      },
      admin,
    );
    return { parameters, verifier };
  }

  async signIn(): Promise<Tokens> {
    const { parameters, verifier } = await this.authorize();
    const answer = await this.post('token', {
      grant_type: 'authorization_code',
      code: parameters.get('code') ?? '',
      redirect_uri: this.credentials.webApplication.redirectUri,
      code_verifier: verifier,
    });
    if (answer.status !== 200) throw new Error(`no tokens: ${answer.text}`);
    return JSON.parse(answer.text) as Tokens;
  }

  async isActive(token: string): Promise<boolean> {
    const { text } = await this.post('introspect', { token });
    return (JSON.parse(text) as { active: boolean }).active;
  }

  async post(endpoint: string, form: Record<string, string>): Promise<{ status: number; text: string }> {
    const { clientId, clientSecret } = this.credentials.webApplication;
    const pair = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
    const response = await fetch(`${this.origin}/oauth/v2/${endpoint}`, {
      method: 'POST',
      headers: { authorization: `Basic ${pair.toString('base64')}` },
      body: new URLSearchParams(form),
    });
    return { status: response.status, text: await response.text() };
  }
}

describe('a database restored to a moment of yesterday', { timeout: 600_000 }, () => {
  it('serves nothing that was ended since, once the restore is finished', async () => {
    const folder = makeTestFolder();
    const [from, to] = ['postgres', 'restored'].map((name) => path.join(folder, name)) as [string, string];
    const primary = await startArchivingPostgres(from);
    const site = await Site.buildOn(primary);
    try {
      const api = await site.startApi();
      const before = new Visit(site.origin, site.credentials);
      const old = await before.signIn();
      await takeBaseBackup(primary, from, to);
      const between = new Visit(site.origin, site.credentials);
      const young = await between.signIn();
      await sleep(1_000);
      const { rows } = await within(primary, async (client) => {
        return await client.query<{ moment: string }>(`SELECT clock_timestamp()::text AS moment`);
      });
      await sleep(1_000);
      // what a database of that moment cannot know
      for (const { refresh_token: token } of [old, young])
        expect((await before.post('revoke', { token })).status).toBe(200);
      expect(await before.isActive(old.access_token)).toBe(false);
      const lost = await new Visit(site.origin, site.credentials).signIn();
      await archiveNow(primary);
      await api.kill();
      await primary.kill();

      const restored = await restoreUntil(rows[0]?.moment ?? '', from, to);
      try {
        const settings = { DATABASE_URL: restored.url };
        const careless = await site.startApi(settings);
        expect(await before.isActive(old.access_token)).toBe(true);
        expect(await between.isActive(young.access_token)).toBe(true);
        await careless.kill();

        const environment = site.environment({ ...settings, LOG_LEVEL: 'warn' });
        const without = { ...environment, MASTER_KEY: randomBytes(32).toString('base64') };
        const refused = IdentityProcess.run(['restore', 'finish'], without);
        expect(await refused.exited, refused.out).not.toBe(0);
        const finish = IdentityProcess.run(['restore', 'finish'], environment);
        expect(await finish.exited, finish.err).toBe(0);
        expect(finish.out).toMatch(/Ended: 2 session\(s\)/);

        await site.startApi(settings);
        for (const [visit, tokens] of [
          [before, old],
          [between, young],
          [before, lost],
        ] as const) {
          expect(await visit.isActive(tokens.access_token)).toBe(false);
          const again = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
          expect((await visit.post('token', again)).text).toContain('invalid_grant');
          expect((await visit.authorize('none')).parameters.get('error')).toBe('login_required');
        }
        const anew = new Visit(site.origin, site.credentials);
        expect(await anew.isActive((await anew.signIn()).access_token)).toBe(true);
      } finally {
        await Promise.all(site.apis.map((one) => one.kill()));
        await restored.stop();
      }
    } finally {
      await site.tearDown();
      await primary.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
