import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What it knows of somebody: their password, and the body of an import. */
export interface OldUser {
  readonly password: string;
  readonly human: Readonly<Record<string, unknown>>;
}

/** An old system on a port of its own, as docs/just-in-time-migration.md describes one. */
export class OldSystemDouble {
  /** By login name in canonical form. */
  readonly users = new Map<string, OldUser>();
  readonly asked: { readonly loginName: string; readonly password: string }[] = [];
  /** Requests whose signature did not hold. */
  forged = 0;
  secret = '';
  /** Answers nothing at all, a status, a redirect to itself, or that body with status 200. */
  trouble: 'silent' | number | { readonly body: string } | undefined;
  /** Before it answers. */
  delayMs = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<OldSystemDouble> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OldSystemDouble(server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/sign-in`;
  }

  reset(): void {
    this.users.clear();
    this.asked.length = 0;
    this.trouble = undefined;
    this.delayMs = 0;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    if (!this.isSigned(String(request.headers['x-signature']), body)) {
      this.forged += 1;
      return void response.writeHead(403).end();
    }
    const { loginName, password } = JSON.parse(body) as { loginName: string; password: string };
    this.asked.push({ loginName, password });
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    const { trouble } = this;
    if (trouble === 'silent') return;
    if (typeof trouble === 'number') return void response.writeHead(trouble, { location: this.url }).end();
    if (trouble !== undefined) return void response.writeHead(200).end(trouble.body);
    const user = this.users.get(loginName);
    if (user === undefined) return void response.writeHead(404).end();
    if (user.password !== password) return void response.writeHead(401).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(user.human));
  }

  /** As the page tells whoever writes one. */
  private isSigned(header: string, body: string): boolean {
    const [, at = '', mac = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
    if (Math.abs(Date.now() / 1000 - Number(at)) > 300) return false;
    const right = createHmac('sha256', this.secret).update(`${at}.${body}`).digest();
    return timingSafeEqual(right, Buffer.from(mac.padStart(64, '0'), 'hex'));
  }
}
