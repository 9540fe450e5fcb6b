import { createHmac } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestApi } from './api.js';

export interface GatewayAnswer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

export interface GatewayRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A mail service that is called by webhook: keeps what it gets, and answers as a test wants it. */
export class HttpGateway {
  readonly requests: GatewayRequest[] = [];
  answer: (request: GatewayRequest) => GatewayAnswer = () => ({ status: 202 });

  private constructor(private readonly server: Server) {}

  static async start(): Promise<HttpGateway> {
    const server = createServer();
    const gateway = new HttpGateway(server);
    server.on('request', (request, response) => void gateway.take(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await buffer(request)).toString();
    const got = { path: request.url ?? '', headers: request.headers, body };
    this.requests.push(got);
    const { status, headers, body: text = '' } = this.answer(got);
    response.writeHead(status, headers).end(text);
  }

  /** Has the service send its mails here, and sign them by the key. */
  async use(api: TestApi, pat: string, signingKey: string): Promise<void> {
    const base = '/admin/v1/notification_providers';
    const post = async (url: string, payload: object) => {
      const headers = { authorization: `Bearer ${pat}` };
      const response = await api.app.inject({ method: 'POST', url, headers, payload });
      if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
      return response.json<{ id: string }>();
    };
    const plan = { kind: 'http', name: 'Gateway', channel: 'email', url: this.url, signingKey };
    const { id } = await post(base, plan);
    await post(`${base}/${id}/_activate`, {});
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** What came for somebody, in its order. */
  to(address: string): GatewayRequest[] {
    return this.requests.filter(({ body }) => (JSON.parse(body) as { to?: string }).to === address);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Whether whoever has the key has signed what came (docs/messages.md). */
export function isSignedBy(key: string, { headers, body }: GatewayRequest): boolean {
  const [, at, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-signature'])) ?? [];
  return mac === createHmac('sha256', key).update(`${at}.${body}`).digest('hex');
}
