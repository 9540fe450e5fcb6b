// SQL by hand: what the database itself has of a user, and of a moment
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { pkce, PlainBrowser } from '../../scripts/code-flow.mjs';
import type { PrivatePostgres } from '../../scripts/services.mjs';
import { makeTestFolder } from '../../scripts/test-folder.mjs';
import {
  archiveNow,
  restoreUntil,
  startArchivingPostgres,
  takeBaseBackup,
  within,
} from '../support/base-backup.js';
import { eventually } from '../workers/support/eventually.js';
import { IdentityProcess } from '../workers/support/identity-process.js';
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
    private readonly user: Credentials['admin'] = credentials.admin,
  ) {
    this.browser = new PlainBrowser(origin);
  }

  /** @param prompt `none` where the session is asked for */
  async authorize(prompt?: 'none'): Promise<{ parameters: URLSearchParams; verifier: string }> {
    const { webApplication } = this.credentials;
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
      this.user,
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

/** What the calls answer, each some of it. */
type Made = Readonly<
  Record<'userId' | 'token' | 'tokenId' | 'id' | 'appId' | 'clientId' | 'clientSecret', string>
>;

/** What is taken away after the backup: a token, a secret and a user, by calls of the management API. */
class TakenAway {
  pat = '';
  client = { clientId: '', clientSecret: '' };
  readonly user = { loginName: '', password: 'Correct-Horse-7' };
  userId = '';
  private readonly ways: Record<string, [method: 'POST' | 'DELETE', path: string]> = {};

  private constructor(
    private readonly origin: string,
    private readonly owner: string,
  ) {}

  static async make({ origin, credentials }: Site): Promise<TakenAway> {
    const made = new TakenAway(origin, credentials.serviceUser.pat);
    const service = await made.call('users/machine', { userName: 'nightly', name: 'Nightly' });
    const token = await made.call(`users/${service.userId}/pats`, {});
    made.pat = token.token;
    made.ways['token'] = ['DELETE', `users/${service.userId}/pats/${token.tokenId}`];
    const project = await made.call('projects', { name: 'Restored' });
    const apps = `projects/${project.id}/apps`;
    const application = await made.call(`${apps}/api`, {
      name: 'Reader',
      authMethodType: 'API_AUTH_METHOD_TYPE_BASIC',
    });
    made.client = {
      clientId: application.clientId,
      clientSecret: application.clientSecret,
    };
    made.ways['secret'] = ['POST', `${apps}/${application.appId}/api_config/_generate_client_secret`];
    const human = await made.call('users/human/_import', {
      userName: 'ada',
      profile: { firstName: 'Ada', lastName: 'Lovelace' },
      email: { email: 'ada@example.com', isEmailVerified: true },
      password: made.user.password,
      passwordChangeRequired: false,
    });
    made.userId = human.userId;
    made.user.loginName = 'ada@example.com';
    made.ways['user'] = ['POST', `users/${made.userId}/_deactivate`];
    return made;
  }

  async takeAway(): Promise<void> {
    for (const [method, path] of Object.values(this.ways)) await this.call(path, {}, method);
  }

  /** Which of them work. */
  async working(): Promise<{ token: boolean; secret: boolean }> {
    const self = await fetch(`${this.origin}/oidc/v1/userinfo`, {
      headers: { authorization: `Bearer ${this.pat}` },
    });
    const { clientId, clientSecret } = this.client;
    const asked = await fetch(`${this.origin}/oauth/v2/introspect`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ token: 'nobody' }),
    });
    return { token: self.status === 200, secret: asked.status === 200 };
  }

  private async call(path: string, body: object, method: 'POST' | 'DELETE' = 'POST'): Promise<Made> {
    const response = await fetch(`${this.origin}/management/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.owner}`,
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text === '' ? '{}' : text) as Made;
  }
}

/** A user as the database has them, and how often the log says that they were deactivated. */
async function stateOf(server: PrivatePostgres, userId: string) {
  return await within(server, async (client) => {
    const { rows } = await client.query<{ state: string; deactivations: number }>(
      `SELECT u.state, (SELECT count(*)::int FROM events e
         WHERE e.org_id = u.org_id AND e.aggregate_id = u.id AND e.type = 'user.deactivated') AS deactivations
       FROM users u WHERE u.id = $1`,
      [userId],
    );
    return rows[0];
  });
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
      const taken = await TakenAway.make(site);
      const ada = new Visit(site.origin, site.credentials, taken.user);
      const hers = await ada.signIn();
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
      expect(await taken.working()).toEqual({ token: true, secret: true });
      await taken.takeAway();
      expect(await taken.working()).toEqual({ token: false, secret: false });
      expect(await before.isActive(hers.access_token)).toBe(false);
      await expect(new Visit(site.origin, site.credentials, taken.user).signIn()).rejects.toThrow();
      expect(await stateOf(primary, taken.userId)).toEqual({ state: 'inactive', deactivations: 1 });
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
        expect(finish.out).toMatch(/Ended: 3 session\(s\)/);

        await site.startApi(settings);
        for (const [visit, tokens] of [
          [before, old],
          [between, young],
          [before, lost],
          [ada, hers],
        ] as const) {
          expect(await visit.isActive(tokens.access_token)).toBe(false);
          const again = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
          expect((await visit.post('token', again)).text).toContain('invalid_grant');
          expect((await visit.authorize('none')).parameters.get('error')).toBe('login_required');
        }
        const anew = new Visit(site.origin, site.credentials);
        expect(await anew.isActive((await anew.signIn()).access_token)).toBe(true);
        // without --disable, what was granted at the time of the backup is granted again
        expect(await taken.working()).toEqual({ token: true, secret: true });
        const again = new Visit(site.origin, site.credentials, taken.user);
        expect(await again.isActive((await again.signIn()).access_token)).toBe(true);

        // and repeated with it, as soon as the keys may be replaced once more
        await site.apis.at(-1)?.kill();
        const disable = ['restore', 'finish', '--disable', 'tokens,secrets,keys'];
        await eventually('a second finish', 120_000, async () => {
          return (await IdentityProcess.run(disable, environment).exited) === 0;
        });
        await site.startApi(settings);
        expect(await taken.working()).toEqual({ token: false, secret: false });
        // a user stays what they were: docs/backup.md names the event to look for
        expect(await stateOf(restored, taken.userId)).toEqual({ state: 'active', deactivations: 0 });
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
