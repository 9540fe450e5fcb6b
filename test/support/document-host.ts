import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REDIRECT_URI } from './applications.js';

interface Published {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** It takes the question and never answers. */
  readonly silent?: boolean;
  /** It answers then. */
  readonly after?: Promise<unknown>;
}

/** Somebody's web server, on which clients describe themselves. */
export class DocumentHost {
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  private readonly published = new Map<string, Published>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<DocumentHost> {
    const server = createServer();
    const host = new DocumentHost(server);
    server.on('request', ({ url = '' }: IncomingMessage, response) => {
      host.asked.push(url);
      const {
        status = 200,
        headers = {},
        body = '',
        silent,
        after,
      } = host.published.get(url) ?? { status: 404 };
      if (silent === true) return;
      const answer = () =>
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
      if (after === undefined) answer();
      else void after.then(answer);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return host;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A document of a public client at a path, but for the changes. @returns its client id */
  publish(
    path: string,
    changes: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): string {
    const clientId = this.origin + path;
    const document = {
      client_id: clientId,
      client_name: 'Agent',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      token_endpoint_auth_method: 'none',
      ...changes,
    };
    this.published.set(path, { headers, body: JSON.stringify(document) });
    return clientId;
  }

  /** Something else at a path. @returns the client id that it would be */
  answer(path: string, published: Published): string {
    this.published.set(path, published);
    return this.origin + path;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
