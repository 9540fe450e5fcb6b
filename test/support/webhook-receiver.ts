import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';

export interface ReceivedHook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

/** A status, perhaps with a body and headers, or no answer at all. */
export type HookReply =
  | number
  | 'hang'
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
      readonly afterMs?: number;
    };

/** Somebody's server that takes what we post, and keeps it. */
export class WebhookReceiver {
  readonly received: ReceivedHook[] = [];
  /** Asked for each request, after it was kept. */
  reply: (hook: ReceivedHook) => HookReply | Promise<HookReply> = () => 204;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      void (async () => {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        const hook = {
          path: request.url ?? '',
          headers: request.headers,
          body,
          json: JSON.parse(body) as ReceivedHook['json'],
        };
        receiver.received.push(hook);
        const reply = await receiver.reply(hook);
        if (reply === 'hang') return;
        const answer = typeof reply === 'number' ? { status: reply } : reply;
        const send = () => response.writeHead(answer.status, answer.headers ?? {}).end(answer.body ?? '');
        if (answer.afterMs === undefined) send();
        else setTimeout(send, answer.afterMs);
      })();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  url(path = '/hook', host = '127.0.0.1'): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the receiver does not listen');
    return `http://${host}:${address.port}${path}`;
  }

  at(path: string): readonly ReceivedHook[] {
    return this.received.filter((hook) => hook.path === path);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** What docs/webhooks.md tells a receiver to do. */
export function isSignedBy(
  secret: string,
  { headers, body }: Pick<ReceivedHook, 'headers' | 'body'>,
): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}
