import { parseSetCookie } from 'cookie';
import { formsOf, type HtmlForm } from '../../conformance/support/html-form.js';

/** Where a navigation has ended. */
export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly forms: readonly HtmlForm[];
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * A browser without scripts for both sides of a sign-in over plain http: follows redirects wherever they lead, and keeps
 * cookies by host and path. Ports are no part of a cookie's place (RFC 6265 §8.5), so that two programs on localhost see
 * each other's cookies here as they do in a real browser.
 */
export class WebBrowser {
  private readonly cookies = new Map<
    string,
    { readonly name: string; readonly value: string; readonly host: string; readonly path: string }
  >();

  async open(url: URL | string): Promise<Page> {
    return await this.navigate(new URL(url));
  }

  /** Sends a form as it stands, but for these fields. */
  async submit(page: Page, form: HtmlForm, values: Readonly<Record<string, string>> = {}): Promise<Page> {
    const target = new URL(form.action === '' ? page.url.href : form.action, page.url);
    const body = new URLSearchParams(
      form.fields.map(({ name, value }): [string, string] => [name, values[name] ?? value]),
    );
    if (form.method === 'post') return await this.navigate(target, body);
    target.search = body.toString();
    return await this.navigate(target);
  }

  private async navigate(start: URL, posted?: URLSearchParams): Promise<Page> {
    let url = start;
    let body = posted;
    for (let hops = 0; hops < 20; hops += 1) {
      const response = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        headers: { cookie: this.cookiesFor(url), accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      });
      this.keep(url, response.headers.getSetCookie());
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null) {
        const text = await response.text();
        const type = response.headers.get('content-type') ?? '';
        return { url, status: response.status, type, text, forms: formsOf(text) };
      }
      await response.body?.cancel();
      url = new URL(location, url);
      // all but 307 and 308 turn a POST into a GET (Fetch, "HTTP-redirect fetch")
      if (response.status < 307) body = undefined;
    }
    throw new Error(`redirected without end, lastly to ${url.origin}${url.pathname}`);
  }

  private keep(url: URL, headers: readonly string[]): void {
    for (const header of headers) {
      const cookie = parseSetCookie(header);
      if (cookie === undefined) continue;
      const path = cookie.path?.startsWith('/') === true ? cookie.path : '/';
      const key = `${url.hostname} ${path} ${cookie.name}`;
      const over =
        cookie.maxAge === undefined
          ? cookie.expires !== undefined && cookie.expires.getTime() <= Date.now()
          : cookie.maxAge <= 0;
      if (over) this.cookies.delete(key);
      else this.cookies.set(key, { name: cookie.name, value: rawValueOf(header), host: url.hostname, path });
    }
  }

  private cookiesFor(url: URL): string {
    return [...this.cookies.values()]
      .filter(({ host, path }) => host === url.hostname && isBelow(url.pathname, path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }
}

/** As it came: a browser gives a cookie back byte for byte. */
function rawValueOf(header: string): string {
  const pair = header.split(';', 1)[0] ?? '';
  return pair.slice(pair.indexOf('=') + 1).trim();
}

/** RFC 6265 §5.1.4. */
function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}
