import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Begun {
  readonly challenge: string;
  readonly redirectUri: string;
}

/**
 * A provider that speaks OAuth 2.0 and nothing else, on a port of its own, in the manner of GitHub: no ID token, errors of the
 * token endpoint with status 200, a user with a number, and addresses in a list.
 */
export class PlainOAuthProvider {
  readonly clientId = 'plain-client';
  readonly clientSecret = 'the secret of a plain client';
  /** Who signs in next. */
  user: Readonly<Record<string, unknown>> = {};
  emails: unknown = [];
  trouble: 'error with status 200' | 'user is away' | 'user is refused' | undefined;
  /** What browsers were sent with. */
  asked = new URLSearchParams();
  /** Paths that were called with a token. */
  readonly read: string[] = [];
  private readonly codes = new Map<string, Begun>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<PlainOAuthProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PlainOAuthProvider(server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get settings() {
    return {
      kind: 'oauth2',
      clientId: this.clientId,
      clientSecret: this.clientSecret,
      authorizationEndpoint: `${this.origin}/login/oauth/authorize`,
      tokenEndpoint: `${this.origin}/login/oauth/access_token`,
      userinfoEndpoint: `${this.origin}/user`,
      emailsEndpoint: `${this.origin}/user/emails`,
      subjectClaim: 'id',
      scopes: ['read:user', 'user:email'],
      mapping: { fields: { email: 'email', emailVerified: 'email_verified', displayName: 'name' } },
    };
  }

  /** Each half is encoded as in a form (RFC 6749 §2.3.1). */
  private isTheClient(header: string): boolean {
    const [id = '', secret = ''] = Buffer.from(header.replace('Basic ', ''), 'base64').toString().split(':');
    const decoded = new URLSearchParams(`id=${id}&secret=${secret}`);
    return decoded.get('id') === this.clientId && decoded.get('secret') === this.clientSecret;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.origin);
    const json = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    switch (pathname) {
      case '/login/oauth/authorize': {
        this.asked = searchParams;
        const code = crypto.randomUUID();
        const redirectUri = searchParams.get('redirect_uri') ?? '';
        this.codes.set(code, { challenge: searchParams.get('code_challenge') ?? '', redirectUri });
        const back = new URL(redirectUri);
        back.searchParams.set('code', code);
        back.searchParams.set('state', searchParams.get('state') ?? '');
        response.writeHead(302, { location: back.href }).end();
        return;
      }
      case '/login/oauth/access_token': {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const form = new URLSearchParams(Buffer.concat(chunks).toString());
        const begun = this.codes.get(form.get('code') ?? '');
        this.codes.delete(form.get('code') ?? '');
        const verified = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url');
        const isGood =
          this.trouble !== 'error with status 200' &&
          begun?.challenge === verified &&
          begun.redirectUri === form.get('redirect_uri') &&
          this.isTheClient(request.headers.authorization ?? '');
        if (!isGood)
          return json(200, { error: 'bad_verification_code', error_description: 'it is not good' });
        return json(200, {
          access_token: 'plain-token',
          token_type: 'bearer',
          scope: 'read:user,user:email',
        });
      }
      case '/user':
      case '/user/emails': {
        if (request.headers.authorization !== 'Bearer plain-token') return json(401, {});
        this.read.push(pathname);
        if (this.trouble === 'user is away') return json(503, {});
        if (this.trouble === 'user is refused') return json(403, {});
        return json(200, pathname === '/user' ? this.user : this.emails);
      }
      default:
        return json(404, {});
    }
  }
}
