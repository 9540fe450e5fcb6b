import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { vi } from 'vitest';
import { ProviderCalls } from '../../src/outbound/oauth/provider-calls.js';
import { makeSigner } from './assertions.js';

const KEY_ID = 'of-the-vendor';
/** As each of them publishes it; what they have besides is not read. */
const DOCUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...Object.fromEntries(
    ['organizations', '11111111-1111-4111-8111-111111111111'].map((tenant) => [
      `https://login.microsoftonline.com/${tenant}/v2.0/.well-known/openid-configuration`,
      {
        issuer: `https://login.microsoftonline.com/${tenant === 'organizations' ? '{tenantid}' : tenant}/v2.0`,
        authorization_endpoint: `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/authorize`,
        token_endpoint: `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`,
        jwks_uri: `https://login.microsoftonline.com/${tenant}/discovery/v2.0/keys`,
        userinfo_endpoint: 'https://graph.microsoft.com/oidc/userinfo',
      },
    ]),
  ),
  'https://accounts.google.com/.well-known/openid-configuration': {
    issuer: 'https://accounts.google.com',
    authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_endpoint: 'https://oauth2.googleapis.com/token',
    jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
  },
  'https://appleid.apple.com/.well-known/openid-configuration': {
    issuer: 'https://appleid.apple.com',
    authorization_endpoint: 'https://appleid.apple.com/auth/authorize',
    token_endpoint: 'https://appleid.apple.com/auth/token',
    jwks_uri: 'https://appleid.apple.com/auth/keys',
  },
};

/** Whoever has a secret of Apple's kind is known by their key. */
export interface AppleClient {
  readonly teamId: string;
  readonly keyId: string;
  readonly publicKey: KeyObject;
}

interface Begun {
  readonly asked: URLSearchParams;
  readonly claims: JWTPayload;
}

/**
 * Microsoft's, Google's and Apple's servers on one port of ours. The service goes to the vendors' own addresses, as a preset has them, and
 * holds answers against these; only the calls are led here (`standIn`).
 */
export class VendorProvider {
  readonly clientId = 'com.example.signin';
  readonly clientSecret = 'the secret of a client at Microsoft';
  /** Of the next ID token, besides times, audience and nonce. */
  claims: JWTPayload = {};
  /** What the graph of Microsoft says of whoever signs in. */
  person: Readonly<Record<string, unknown>> = {};
  apple: AppleClient | undefined;
  /** Header and claims of the secret that Apple was shown last. */
  shown: { readonly header: unknown; readonly payload: JWTPayload } | undefined;
  /** Signs the next tokens; the published key stays. */
  readonly signer = makeSigner('RS256');
  forger: ReturnType<typeof makeSigner> | undefined;
  private readonly codes = new Map<string, Begun>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<VendorProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new VendorProvider(server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Leads the calls of all providers here. @returns what ends that */
  standIn(): () => void {
    const call = Reflect.get(ProviderCalls.prototype, 'call');
    const led = (url: string): string => this.placeOf(url);
    const spy = vi.spyOn(ProviderCalls.prototype, 'call').mockImplementation(async function (
      this: ProviderCalls,
      provider,
      url,
      request,
    ) {
      return await call.call(this, provider, led(url), request);
    });
    return () => spy.mockRestore();
  }

  /** What a browser does there: it is sent back with a query, or with a form that it posts. */
  async visit(
    url: string,
  ): Promise<{ readonly method: 'GET' | 'POST'; readonly url: URL; form: URLSearchParams }> {
    const response = await fetch(this.placeOf(url), { redirect: 'manual' });
    const { to, form } = (await response.json()) as { to: string; form: Record<string, string> | null };
    return {
      method: form === null ? 'GET' : 'POST',
      url: new URL(to),
      form: new URLSearchParams(form ?? {}),
    };
  }

  private placeOf(url: string): string {
    const { origin } = new URL(url);
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${encodeURIComponent(origin)}${url.slice(origin.length)}`;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, origin = '', ...rest] = (request.url ?? '').split('/');
    const url = new URL(`/${rest.join('/')}`, decodeURIComponent(origin));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const [status, body] = await this.reply(url, form, request.headers.authorization);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private async reply(url: URL, form: URLSearchParams, authorization?: string): Promise<[number, unknown]> {
    const document = DOCUMENTS[url.href];
    if (document !== undefined) return [200, document];
    const at = `${url.origin}${url.pathname}`;
    const isOf = (field: string): boolean => Object.values(DOCUMENTS).some((one) => one[field] === at);
    if (isOf('jwks_uri')) {
      return [200, { keys: [{ ...this.signer.publicJwk, kid: KEY_ID, alg: 'RS256', use: 'sig' }] }];
    }
    if (isOf('authorization_endpoint')) return [200, this.authorize(url)];
    if (isOf('token_endpoint')) return await this.redeem(url, form);
    if (isOf('userinfo_endpoint') && authorization === 'Bearer a token of Microsoft') {
      return [200, { sub: this.claims.sub, ...this.person }];
    }
    return [404, {}];
  }

  private authorize({ origin, searchParams }: URL): { to: string; form: Record<string, string> | null } {
    const code = crypto.randomUUID();
    this.codes.set(code, { asked: searchParams, claims: this.claims });
    const answer = { code, state: searchParams.get('state') ?? '' };
    const to = new URL(searchParams.get('redirect_uri') ?? '');
    if (origin !== 'https://appleid.apple.com') {
      to.search = new URLSearchParams(answer).toString();
      return { to: to.href, form: null };
    }
    // as soon as a name or an address is asked for (Apple's documentation)
    if (searchParams.get('response_mode') !== 'form_post') throw new Error('Apple wants form_post');
    const user = Object.keys(this.person).length === 0 ? {} : { user: JSON.stringify(this.person) };
    return { to: to.href, form: { ...answer, ...user } };
  }

  private async redeem({ origin }: URL, form: URLSearchParams): Promise<[number, unknown]> {
    const isApple = origin === 'https://appleid.apple.com';
    const isClient = isApple
      ? await this.isAppleClient(form)
      : form.get('client_id') === this.clientId && form.get('client_secret') === this.clientSecret;
    if (!isClient) return [400, { error: 'invalid_client' }];
    const begun = this.codes.get(form.get('code') ?? '');
    this.codes.delete(form.get('code') ?? '');
    if (begun === undefined || begun.asked.get('redirect_uri') !== form.get('redirect_uri')) {
      return [400, { error: 'invalid_grant' }];
    }
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!isApple && begun.asked.get('code_challenge') !== challenge) return [400, { error: 'invalid_grant' }];
    const now = Math.floor(Date.now() / 1000);
    const { privateKey } = this.forger ?? this.signer;
    const payload = {
      aud: this.clientId,
      iat: now,
      exp: now + 600,
      nonce: begun.asked.get('nonce') ?? undefined,
      ...begun.claims,
    };
    return [
      200,
      {
        access_token: 'a token of Microsoft',
        token_type: 'Bearer',
        expires_in: 3600,
        id_token: await new SignJWT(payload)
          .setProtectedHeader({ alg: 'RS256', kid: KEY_ID })
          .sign(privateKey),
      },
    ];
  }

  /** As Apple documents its client secret: ES256 by the key of the team, for Apple, and for half a year at most. */
  private async isAppleClient(form: URLSearchParams): Promise<boolean> {
    if (this.apple === undefined || form.get('client_id') !== this.clientId) return false;
    const { teamId, keyId, publicKey } = this.apple;
    try {
      const { protectedHeader, payload } = await jwtVerify(
        form.get('client_secret') ?? '',
        createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
        {
          algorithms: ['ES256'],
          issuer: teamId,
          subject: this.clientId,
          audience: 'https://appleid.apple.com',
          requiredClaims: ['iat', 'exp'],
        },
      );
      this.shown = { header: protectedHeader, payload };
      const { iat = 0, exp = Infinity } = payload;
      return protectedHeader.kid === keyId && exp - iat <= 15_777_000;
    } catch {
      return false;
    }
  }
}
