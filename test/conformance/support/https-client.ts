import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Sending {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Plain https without redirects, cookies or retries; trusts nothing but the ring's own certificate. */
export class HttpsClient {
  private readonly agent: Agent;

  constructor(ca: string) {
    this.agent = new Agent({ ca, keepAlive: true, family: 4 });
  }

  async send(url: URL | string, { method = 'GET', headers = {}, body }: Sending = {}): Promise<Answer> {
    return await new Promise((resolve, reject) => {
      const outgoing = request(url, { agent: this.agent, method, headers }, (response) => {
        text(response).then(
          (answered) =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answered }),
          reject,
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  async postForm(
    url: URL | string,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return await this.send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...headers,
      },
      body: new URLSearchParams(form).toString(),
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
