import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll } from 'vitest';
import { makeSigner } from './assertions.js';

const CLIENT_ID = 'identity-service';
const KEY_ID = 'of-tests';
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const CLIENT_SECRET = 'the secret of a client that only tests have';

/** A provider that is not ours (node-oidc-provider) on a port of its own. Whoever comes is who the test says. */
export class ForeignProvider {
  readonly clientId = CLIENT_ID;
  /** Who signs in next, and what is said of them. */
  subject = 'nobody';
  claims: Readonly<Record<string, unknown>> = {};
  /** Whether its ID tokens name the session there (`sid`), from the next `serve` on. */
  namesSessions = false;
  /** What it was asked for last. */
  asked: Readonly<Record<string, unknown>> = {};
  /** Answers nothing good, a page of somebody else's with status 200, or nothing at all. */
  broken: boolean | 'page' | 'silent' = false;
  calls = 0;
  private readonly signer = makeSigner('RS256');
  private provider: Provider | undefined;

  private readonly server = createServer((request, response) => void this.answer(request, response));

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What a manager enters to have people sign in with it. */
  get settings() {
    const { clientId, issuer } = this;
    return { kind: 'oidc', name: 'Elsewhere', clientId, clientSecret: CLIENT_SECRET, issuer } as const;
  }

  /** @param callbackUrls where it may send people back to */
  serve(...callbackUrls: readonly string[]): void {
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: callbackUrls,
          post_logout_redirect_uris: callbackUrls.map((url) => url.replace(/callback$/, 'signed_out')),
          response_types: ['code'],
          grant_types: ['authorization_code'],
          ...(this.namesSessions && {
            backchannel_logout_uri: `${this.issuer}/nowhere`,
            backchannel_logout_session_required: true,
          }),
        },
      ],
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['given_name', 'family_name', 'name', 'groups', 'department'],
      },
      cookies: { keys: ['a key for tests'] },
      jwks: {
        keys: [
          { ...this.signer.privateKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' },
        ],
      },
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: this.namesSessions } },
      pkce: { required: () => true },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ ...this.claims, sub: id }),
      }),
      loadExistingGrant: async (context: {
        oidc: {
          session: { accountId: string };
          client: { clientId: string };
          provider: Provider;
        };
      }) => {
        const { session, client } = context.oidc;
        const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
      renderError: (context: { body: string }, _out: unknown, error: Error) => {
        context.body = error.message;
      },
    });
    this.provider = provider;
  }

  /** As it would send one to say that somebody has signed out, but for the changes. */
  async logoutToken(
    claims: Readonly<Record<string, unknown>>,
    { header = {}, signer = this.signer }: { header?: object; signer?: ReturnType<typeof makeSigner> } = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      iss: this.issuer,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 120,
      jti: crypto.randomUUID(),
      events: { [LOGOUT_EVENT]: {} },
      ...claims,
    };
    return await new SignJWT(payload)
      .setProtectedHeader({ alg: signer.alg, kid: KEY_ID, typ: 'logout+jwt', ...header })
      .sign(signer.privateKey);
  }

  /**
   * What a browser does there, from the address that it is sent to until it is sent back.
   * @returns the address that it is sent back to
   */
  async visit(url: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let next = url;
    for (let step = 0; step < 10; step += 1) {
      const response = await fetch(next, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [pair = ''] = cookie.split(';');
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`no way back: ${response.status} ${await response.text()}`);
      const target = new URL(location, next);
      if (target.origin !== this.issuer) return target;
      next = target.toString();
    }
    throw new Error('it goes round in circles');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.calls += 1;
    const { provider } = this;
    if (this.broken === 'silent') return;
    if (this.broken === 'page') {
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Be right back</p>');
    }
    if (this.broken || provider === undefined) return void response.writeHead(503).end();
    if (!(request.url ?? '').startsWith('/interaction/')) return provider.callback()(request, response);
    const { params } = await provider.interactionDetails(request, response);
    this.asked = params;
    await provider.interactionFinished(request, response, { login: { accountId: this.subject } });
  }
}

/** One that runs for all tests of a file. */
export function useForeignProvider(): ForeignProvider {
  const provider = new ForeignProvider();
  beforeAll(() => provider.start());
  afterAll(() => provider.stop());
  return provider;
}
