import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONWebKeySet } from 'jose';
import { pkce, PlainBrowser } from '../../../scripts/code-flow.mjs';

export interface Credentials {
  readonly admin: { readonly loginName: string; readonly password: string };
  readonly serviceUser: { readonly pat: string };
  /** Of an instance owner. */
  readonly adminServiceUser: { readonly pat: string };
  readonly webApplication: {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly redirectUri: string;
  };
}

/**
 * People and applications that know nothing of imports: they sign in, refresh and introspect all the time, and the
 * queues and workers are no business of theirs (security I7).
 */
export class Load {
  attempts = 0;
  readonly failures: string[] = [];
  readonly signInTimes: number[] = [];
  /** When whole sign-ins ended well. */
  readonly signedIn: number[] = [];
  /** Every ID token that was issued, and the keys as they were published before the first of them (security I4). */
  readonly idTokens: string[] = [];
  keys: JSONWebKeySet | undefined;
  private running = true;
  private excused = 0;
  private readonly loops: Promise<unknown>;

  constructor(
    private readonly origin: string,
    private readonly credentials: Credentials,
    pauseMs = 250,
  ) {
    this.loops = Promise.all([
      this.loop(() => this.introspect(), pauseMs),
      this.loop(() => this.signIn(), 2 * pauseMs),
    ]);
  }

  /** While Postgres is away nobody can be signed in, and nobody is to blame. */
  async excuse<T>(work: () => Promise<T>): Promise<T> {
    this.excused += 1;
    try {
      return await work();
    } finally {
      // what began before its end may end after it
      await sleep(500);
      this.excused -= 1;
    }
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.loops;
  }

  async introspect(): Promise<void> {
    const answer = await this.post('/oauth/v2/introspect', { token: this.credentials.serviceUser.pat });
    if (answer['active'] !== true) throw new Error('introspection: not active');
  }

  async signIn(): Promise<void> {
    await this.post('/oauth/v2/token', {
      grant_type: 'refresh_token',
      refresh_token: await this.freshRefreshToken(),
    });
    this.signedIn.push(Date.now());
  }

  /** As after a sign-in that nothing was done with yet. */
  async freshRefreshToken(): Promise<string> {
    const { admin, webApplication } = this.credentials;
    this.keys ??= await this.fetchKeys();
    const { verifier, challenge } = pkce();
    const since = performance.now();
    const parameters = await new PlainBrowser(this.origin).authorize(
      {
        client_id: webApplication.clientId,
        redirect_uri: webApplication.redirectUri,
        response_type: 'code',
        scope: 'openid offline_access',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      },
      admin,
    );
    this.signInTimes.push(performance.now() - since);
    const code = parameters.get('code');
    if (code === null) throw new Error(`sign-in: no code but ${parameters.get('error')}`);
    const tokens = await this.post('/oauth/v2/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: webApplication.redirectUri,
      code_verifier: verifier,
    });
    this.idTokens.push(String(tokens['id_token']));
    const refresh = tokens['refresh_token'];
    if (typeof refresh !== 'string') throw new Error('sign-in: no refresh token');
    return refresh;
  }

  private async loop(call: () => Promise<void>, pauseMs: number): Promise<void> {
    while (this.running) {
      const excusedBefore = this.excused > 0;
      try {
        await call();
        this.attempts += 1;
      } catch (error) {
        if (!excusedBefore && this.excused === 0) {
          this.attempts += 1;
          this.failures.push(`${new Date().toISOString()} ${String(error)}`);
        }
      }
      await sleep(pauseMs);
    }
  }

  private async fetchKeys(): Promise<JSONWebKeySet> {
    const response = await fetch(`${this.origin}/oauth/v2/keys`);
    if (!response.ok) throw new Error(`the keys: ${response.status}`);
    return (await response.json()) as JSONWebKeySet;
  }

  private async post(path: string, form: Record<string, string>): Promise<Record<string, unknown>> {
    const { clientId, clientSecret } = this.credentials.webApplication;
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
    const response = await fetch(`${this.origin}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${basic.toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(form),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }
}
