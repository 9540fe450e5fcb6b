import type { IncomingHttpHeaders } from 'node:http';
import { CookieJar } from './cookie-jar.js';
import { formsOf, type HtmlForm } from './html-form.js';
import type { Answer, HttpsClient, Sending } from './https-client.js';

/** Where a navigation has ended. */
export interface Page {
  /** With its fragment, which the server never sees. */
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly html: string;
  readonly forms: readonly HtmlForm[];
}

const FORM = 'application/x-www-form-urlencoded';
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * A browser without scripts: keeps cookies, follows redirects, fills in forms by the names of their fields. It holds
 * the pages to their own `form-action` (CSP Level 3 §6.3.1, redirects included, as Chromium does).
 */
export class Browser {
  private readonly jar = new CookieJar();

  constructor(private readonly client: HttpsClient) {}

  /** A link of another site. */
  async open(url: URL | string): Promise<Page> {
    return await this.navigate(new URL(url), {}, true);
  }

  /** The cookies that a script of this address reads in a frame of another site. */
  scriptCookies(url: URL): string {
    return this.jar.inFrame(url);
  }

  /** A form of another site. */
  async postFromElsewhere(url: URL | string, form: Readonly<Record<string, string>>): Promise<Page> {
    return await this.navigate(new URL(url), formBody(Object.entries(form)), true);
  }

  /** Presses a button of the page, or sends its form as `onload` would. */
  async submit(page: Page, form: HtmlForm, values: Readonly<Record<string, string>> = {}): Promise<Page> {
    const target = new URL(form.action === '' ? page.url.href : form.action, page.url);
    for (const name of Object.keys(values)) {
      if (!form.fields.some((field) => field.name === name)) throw new Error(`the form has no field ${name}`);
    }
    const entries = form.fields.map(({ name, value }): [string, string] => [name, values[name] ?? value]);
    const crossSite = target.hostname !== page.url.hostname;
    if (form.method === 'post') return await this.navigate(target, formBody(entries), crossSite, page);
    target.search = new URLSearchParams(entries).toString();
    return await this.navigate(target, {}, crossSite, page);
  }

  private async navigate(start: URL, first: Sending, crossSite: boolean, from?: Page): Promise<Page> {
    let url = start;
    let sending = first;
    for (let hops = 0; hops < 10; hops += 1) {
      if (from !== undefined) holdToFormAction(from, url);
      const answer = await this.send(url, sending, crossSite);
      const { location } = answer.headers;
      if (!REDIRECTS.has(answer.status) || location === undefined) {
        return { url, ...answer, html: answer.body, forms: formsOf(answer.body) };
      }
      const next = new URL(location, url);
      if (next.hash === '') next.hash = url.hash;
      url = next;
      // all but 307 and 308 turn a POST into a GET (Fetch, "HTTP-redirect fetch")
      if (answer.status < 307) sending = {};
    }
    throw new Error(`redirected without end, lastly to ${url.origin}${url.pathname}`);
  }

  private async send(url: URL, sending: Sending, crossSite: boolean): Promise<Answer> {
    const cookie = this.jar.header(url, sending.method ?? 'GET', crossSite);
    const answer = await this.client.send(url, {
      ...sending,
      headers: {
        accept: 'text/html,application/xhtml+xml',
        'accept-language': 'en',
        ...sending.headers,
        ...(cookie === '' ? {} : { cookie }),
      },
    });
    this.jar.keep(url, answer.headers['set-cookie'] ?? []);
    return answer;
  }
}

function formBody(entries: readonly [string, string][]): Sending {
  const body = new URLSearchParams(entries).toString();
  return { method: 'POST', headers: { 'content-type': FORM }, body };
}

/** The sources of one directive of the page's policy; undefined when it has no such directive. */
export function policySources(page: Page, directive: string): readonly string[] | undefined {
  const policy = page.headers['content-security-policy'];
  const found = String(policy ?? '')
    .split(';')
    .map((part) => part.trim().split(/\s+/))
    .find(([name]) => name === directive);
  return found?.slice(1);
}

function holdToFormAction(page: Page, target: URL): void {
  const sources = policySources(page, 'form-action');
  if (sources === undefined || sources.some((source) => matches(source, page.url, target))) return;
  throw new Error(`form-action of ${page.url.pathname} does not let a form lead to ${target.origin}`);
}

/** CSP Level 3 §6.7.2.8, for the kinds of source that a form-action can sensibly have. */
function matches(source: string, self: URL, target: URL): boolean {
  if (source === "'self'") return target.origin === self.origin;
  if (source.endsWith(':')) return target.protocol === source;
  return target.origin === source;
}
