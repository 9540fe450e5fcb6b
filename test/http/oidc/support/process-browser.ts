import { authorizeUrl, hiddenFields } from '../../../support/browser-flow.js';
import { PASSWORD, type TestUser } from '../../../support/users.js';
import type { ApiProcess } from './api-process.js';

export interface ProcessAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A browser without scripts that may send each request to another process, as a load balancer would have it. */
export class ProcessBrowser {
  private readonly cookies = new Map<string, string>();

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async get(process: ApiProcess, path: string): Promise<ProcessAnswer> {
    return await this.send(process, path, { method: 'GET' });
  }

  async post(process: ApiProcess, path: string, form: Record<string, string>): Promise<ProcessAnswer> {
    return await this.send(process, path, { method: 'POST', body: new URLSearchParams(form) });
  }

  /** Hidden fields of the page that a request leads to. */
  async open(process: ApiProcess, parameters: Record<string, string>): Promise<Record<string, string>> {
    const begun = await this.get(process, authorizeUrl(parameters));
    const location = begun.headers.get('location');
    if (location?.startsWith('/') !== true) throw new Error(`no page: ${begun.status} ${location ?? ''}`);
    return hiddenFields((await this.get(process, location)).body);
  }

  async signIn(
    process: ApiProcess,
    parameters: Record<string, string>,
    user: TestUser,
  ): Promise<ProcessAnswer> {
    const fields = await this.open(process, parameters);
    return await this.post(process, '/login', { ...fields, loginName: user.loginName, password: PASSWORD });
  }

  private async send({ url }: ApiProcess, path: string, init: RequestInit): Promise<ProcessAnswer> {
    const headers = { cookie: this.cookieHeader };
    const response = await fetch(`${url}${path}`, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name !== undefined && value !== undefined) this.cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, body: await response.text() };
  }
}

/** Parameters that a redirect brought to the client. */
export function broughtBy({ headers }: ProcessAnswer): URLSearchParams {
  return new URL(headers.get('location') ?? '', 'https://nowhere.test').searchParams;
}
