import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import type { Certificate } from './certificate.js';

/** One request that reached the application's side. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Such as `TLSv1.3`. */
  readonly tls: string | null;
}

const PATHS = {
  callback: '/test/a/identity/callback',
  postLogout: '/test/a/identity/post_logout_redirect',
  backchannel: '/test/a/identity/backchannel_logout',
  frontchannel: '/test/a/identity/frontchannel_logout',
} as const;

/**
 * The suite's own side: the application's redirect URI, post-logout URI and its addresses for logouts. It answers 200 to all
 * and keeps what came. Its host differs from the service's, so for a browser it is another site.
 */
export class SuiteServer {
  private readonly server: Server;
  private calls: Call[] = [];

  private constructor(certificate: Certificate) {
    this.server = createServer({ ...certificate }, (request, response) => {
      void this.record(request).then(() =>
        response
          .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
          .end(
            request.url?.startsWith(PATHS.backchannel) === true ? '' : '<!doctype html><title>suite</title>',
          ),
      );
    });
  }

  static async listen(certificate: Certificate): Promise<SuiteServer> {
    const suite = new SuiteServer(certificate);
    await new Promise<void>((resolve) => suite.server.listen(0, '127.0.0.1', resolve));
    return suite;
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get redirectUri(): string {
    return `${this.origin}${PATHS.callback}`;
  }

  get postLogoutUri(): string {
    return `${this.origin}${PATHS.postLogout}`;
  }

  get backchannelUri(): string {
    return `${this.origin}${PATHS.backchannel}`;
  }

  get frontchannelUri(): string {
    return `${this.origin}${PATHS.frontchannel}`;
  }

  /** Everything that came since the last `forget`, to whichever path. */
  get received(): readonly Call[] {
    return this.calls;
  }

  /** What came to one of the registered addresses. */
  receivedAt(uri: string): readonly Call[] {
    const { pathname } = new URL(uri);
    return this.calls.filter((call) => call.path === pathname);
  }

  forget(): void {
    this.calls = [];
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async record(request: IncomingMessage): Promise<void> {
    const body = await text(request);
    const url = new URL(request.url ?? '/', this.origin);
    this.calls.push({
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body,
      tls: (request.socket as TLSSocket).getProtocol(),
    });
  }
}
