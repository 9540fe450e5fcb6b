import { parseSetCookie } from 'cookie';

interface Kept {
  readonly value: string;
  readonly host: string;
  readonly sameSite: string;
  readonly httpOnly: boolean;
}

/**
 * Cookies of https hosts as RFC 6265bis keeps and sends them, as far as a service with host-only cookies needs it.
 * What a browser would silently drop is an error here.
 */
export class CookieJar {
  private readonly kept = new Map<string, Kept>();

  keep(url: URL, headers: readonly string[]): void {
    for (const header of headers) {
      const cookie = parseSetCookie(header);
      if (cookie === undefined) throw new Error(`no cookie in: ${header}`);
      const { name, value, secure, path, domain, sameSite, maxAge } = cookie;
      if (domain !== undefined) throw new Error(`${name} is shared with other hosts`);
      const httpOnly = cookie.httpOnly === true;
      // scripts read the one that frames of other sites are given (Session Management 1.0 §3.2)
      if (secure !== true || httpOnly !== (sameSite !== 'none'))
        throw new Error(`${name} must be Secure, and HttpOnly unless it is for frames`);
      if (!name.startsWith('__Host-') || path !== '/') throw new Error(`${name} is not bound to its host`);
      const key = `${url.hostname} ${name}`;
      if (maxAge !== undefined && maxAge <= 0) this.kept.delete(key);
      else
        this.kept.set(key, {
          value: value ?? '',
          host: url.hostname,
          sameSite: String(sameSite ?? 'lax'),
          httpOnly,
        });
    }
  }

  /** What `document.cookie` is in a frame that another site has on its page. */
  inFrame(url: URL): string {
    return [...this.kept]
      .filter(([, { host, sameSite, httpOnly }]) => host === url.hostname && sameSite === 'none' && !httpOnly)
      .map(([key, { value }]) => `${key.slice(key.indexOf(' ') + 1)}=${value}`)
      .join('; ');
  }

  /** @param crossSite another site sends the browser here; then Lax cookies go along with a GET only (§5.6.7.1) */
  header(url: URL, method: string, crossSite: boolean): string {
    return [...this.kept]
      .filter(([, { host }]) => host === url.hostname)
      .filter(
        ([, { sameSite }]) => !crossSite || sameSite === 'none' || (sameSite === 'lax' && method === 'GET'),
      )
      .map(([key, { value }]) => `${key.slice(key.indexOf(' ') + 1)}=${value}`)
      .join('; ');
  }
}
