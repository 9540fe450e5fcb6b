import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TLSSocket } from 'node:tls';

export interface ReceivedPost {
  readonly path: string;
  readonly contentType: string | undefined;
  readonly form: URLSearchParams;
  /** As `TLSv1.3`; undefined without TLS. */
  readonly tls: string | undefined;
}

/** A status, perhaps with headers; or no answer: the line stays open, or drops, or the answer never ends. */
export type Reply =
  | number
  | { readonly status: number; readonly headers: Record<string, string> }
  | 'hang'
  | 'drop'
  | 'endless';

/** An application's back channel, which can fail in every way one at a time. Keeps every request that arrived whole. */
export class RelyingParty {
  readonly received: ReceivedPost[] = [];
  /** Asked for each request, after it was kept. */
  reply: (post: ReceivedPost) => Promise<Reply> | Reply = () => 200;

  private readonly sockets = new Set<Socket>();
  private readonly waiting = new Set<ServerResponse>();

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
  ) {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => undefined);
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.serve(request, response);
    });
  }

  static async start(certificate?: TestCertificate): Promise<RelyingParty> {
    const server = certificate === undefined ? createServer() : createTlsServer(certificate);
    const party = new RelyingParty(server, certificate === undefined ? 'http' : 'https');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return party;
  }

  uri(pathname = '/out', host = '127.0.0.1'): string {
    return `${this.scheme}://${host}:${this.port}${pathname}`;
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the application does not listen');
    return address.port;
  }

  get connections(): number {
    return this.sockets.size;
  }

  /** How many wait for its answer: who gave up waits no longer. */
  get answering(): number {
    return this.waiting.size;
  }

  at(pathname: string): readonly ReceivedPost[] {
    return this.received.filter((post) => post.path === pathname);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { socket } = request;
    const post = {
      path: request.url ?? '',
      contentType: request.headers['content-type'],
      form: new URLSearchParams(body),
      tls: socket instanceof TLSSocket ? (socket.getProtocol() ?? undefined) : undefined,
    };
    this.received.push(post);
    this.waiting.add(response);
    response.on('close', () => this.waiting.delete(response));
    const reply = await this.reply(post);
    if (reply === 'hang') return;
    if (reply === 'drop') return void socket.destroy();
    if (reply === 'endless') {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(4096)));
      };
      response.on('drain', more);
      return more();
    }
    const { status, headers } = typeof reply === 'number' ? { status: reply, headers: {} } : reply;
    this.waiting.delete(response);
    response.writeHead(status, headers).end();
  }
}

export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
  /** For NODE_EXTRA_CA_CERTS. */
  readonly certPath: string;
  remove(): void;
}

/** A certificate for localhost that nobody trusts who is not told to. */
export function makeCertificate(): TestCertificate {
  const folder = mkdtempSync(path.join(tmpdir(), 'identity-tls-'));
  const [keyPath, certPath] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
      .concat(['-subj', '/CN=localhost', '-addext', names])
      .concat(['-keyout', keyPath, '-out', certPath]),
    { stdio: 'ignore' },
  );
  return {
    key: readFileSync(keyPath, 'utf8'),
    cert: readFileSync(certPath, 'utf8'),
    certPath,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
