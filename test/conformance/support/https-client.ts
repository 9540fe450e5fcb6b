import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Certificate } from './certificate.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Sending {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Shown in the handshake. */
  readonly certificate?: Certificate | undefined;
}

/** Plain https without redirects, cookies or retries; trusts nothing but the ring's own certificate. */
export class HttpsClient {
  private readonly agent: Agent;
  /** A connection has one certificate or none. */
  private readonly agents = new Map<Certificate, Agent>();

  constructor(private readonly ca: string) {
    this.agent = new Agent({ ca, keepAlive: true, family: 4 });
  }

  async send(
    url: URL | string,
    { method = 'GET', headers = {}, body, certificate }: Sending = {},
  ): Promise<Answer> {
    const agent = certificate === undefined ? this.agent : this.agentWith(certificate);
    return await new Promise((resolve, reject) => {
      const outgoing = request(url, { agent, method, headers }, (response) => {
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
    certificate?: Certificate,
  ): Promise<Answer> {
    return await this.send(url, {
      certificate,
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...headers,
      },
      body: new URLSearchParams(form).toString(),
    });
  }

  private agentWith(certificate: Certificate): Agent {
    const known = this.agents.get(certificate);
    const agent = known ?? new Agent({ ca: this.ca, keepAlive: true, family: 4, ...certificate });
    this.agents.set(certificate, agent);
    return agent;
  }

  close(): void {
    for (const agent of this.agents.values()) agent.destroy();
    this.agent.destroy();
  }
}
