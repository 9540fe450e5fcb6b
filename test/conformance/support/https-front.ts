import { Agent, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Certificate } from './certificate.js';

export const CERTIFICATE_HEADER = 'client-cert';

/** What stands before the API in production: ends TLS and says so in the forwarded headers, with the client's certificate (RFC 9440). */
export class HttpsFront {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server: Server;
  private upstreamPort = 0;

  private constructor(certificate: Certificate) {
    this.server = createServer(
      // whose it is the service finds out
      { ...certificate, requestCert: true, rejectUnauthorized: false },
      (incoming, outgoing) => this.forward(incoming, outgoing),
    );
    // a client that sends just as an idle connection is closed is cut off
    this.server.keepAliveTimeout = 0;
  }

  static async listen(certificate: Certificate): Promise<HttpsFront> {
    const front = new HttpsFront(certificate);
    await new Promise<void>((resolve) => front.server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  get origin(): string {
    return `https://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  leadTo(port: number): void {
    this.upstreamPort = port;
  }

  async close(): Promise<void> {
    this.agent.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, url, socket } = incoming;
    // what a client sends of that name must not get through
    const { [CERTIFICATE_HEADER]: _, ...headers } = incoming.headers;
    const certificate = certificateOf(socket as TLSSocket);
    const upstream = request(
      {
        agent: this.agent,
        host: '127.0.0.1',
        port: this.upstreamPort,
        method,
        path: url,
        headers: {
          ...headers,
          'x-forwarded-for': socket.remoteAddress,
          'x-forwarded-proto': 'https',
          ...(certificate !== undefined && { [CERTIFICATE_HEADER]: certificate }),
        },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      },
    );
    upstream.on('error', () => outgoing.destroy());
    incoming.pipe(upstream);
  }
}

function certificateOf(socket: TLSSocket): string | undefined {
  // an empty object where none was shown
  const der: Buffer | undefined = socket.getPeerCertificate().raw;
  return der === undefined ? undefined : `:${der.toString('base64')}:`;
}
