import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { randomToken } from '../../../src/domain/shared/random.js';

const PAGE = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>The application</title><link rel="icon" href="data:,"></head>
  <body><main><h1>Back in the application</h1></main></body>
</html>`;

/** Origin of the redirect URIs that bootstrap registers; the browser is told where it really is. */
const ORIGIN = 'http://localhost:9080';

/** What an application keeps between sending a browser away and getting it back. */
export interface Departure {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
}

export interface Tokens {
  readonly token_type: string;
  readonly id_token: string;
  readonly access_token: string;
}

export interface PublicClient {
  readonly clientId: string;
  readonly redirectUri: string;
}

/** An answer whose state begins like this is received, and the browser sent on to the application's other origin. */
export const ONWARD = 'onward-';

/** The application that people sign in to: one page for whatever it is asked, on a free port. */
export class Application {
  private constructor(private readonly server: Server) {}

  static async listen(): Promise<Application> {
    const server = createServer((request, response) => {
      void text(request).then((body) => answer(request, response, body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Application(server);
  }

  /** Another origin of the same application: not the one that its redirect URIs are on. */
  get otherHost(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** For Chromium: takes the application's registered origin to the port it got. */
  get browserArgument(): string {
    const { port } = this.server.address() as AddressInfo;
    return `--host-resolver-rules=MAP ${new URL(ORIGIN).host} 127.0.0.1:${port}`;
  }

  get host(): string {
    return new URL(ORIGIN).host;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const { searchParams } = new URL(request.url ?? '', ORIGIN);
  const state = searchParams.get('state') ?? new URLSearchParams(body).get('state') ?? '';
  if (state.startsWith(ONWARD)) {
    const { port } = request.socket.address() as AddressInfo;
    const how = request.method === 'POST' ? 'form_post' : 'query';
    response.writeHead(303, {
      location: `http://127.0.0.1:${port}/home?by=${how}`,
      'cache-control': 'no-store',
    });
    return void response.end();
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  response.end(PAGE);
}

/** A fresh authorization request of a public client with PKCE (RFC 7636). */
export function depart(
  issuer: string,
  client: PublicClient,
  changes: Readonly<Record<string, string>> = {},
): Departure {
  const verifier = randomToken(32);
  const state = randomToken(8);
  const parameters = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    state,
    nonce: randomToken(8),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  });
  return { url: `${issuer}/oauth/v2/authorize?${parameters.toString()}`, state, verifier };
}

/** Exchanges the code that the browser came back with. */
export async function redeem(
  issuer: string,
  client: PublicClient,
  code: string | null,
  { verifier }: Departure,
): Promise<Tokens> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: code ?? '',
    redirect_uri: client.redirectUri,
    client_id: client.clientId,
    code_verifier: verifier,
  });
  const response = await fetch(`${issuer}/oauth/v2/token`, { method: 'POST', body: form });
  if (!response.ok)
    throw new Error(`the token endpoint answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Tokens;
}
