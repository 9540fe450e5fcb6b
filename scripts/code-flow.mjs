import { createHash, randomBytes } from 'node:crypto';

// A browser of the plainest kind: keeps cookies, follows redirects on our own origin, sends forms back. The tour and
// the benchmark sign in with it, the way a person's browser would.

export class PlainBrowser {
  #cookies = new Map();
  #issuer;

  /** @param {string} issuer */
  constructor(issuer) {
    this.#issuer = issuer;
  }

  get cookie() {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** One request; redirects are not followed. */
  async request(url, { method = 'GET', form } = {}) {
    const response = await fetch(new URL(url, this.#issuer), {
      method,
      redirect: 'manual',
      headers: {
        cookie: this.cookie,
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';', 1);
      const at = pair.indexOf('=');
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  /**
   * Asks for a code and signs in where the service wants it.
   * @returns {Promise<URLSearchParams>} what the redirect brought to the application
   */
  async authorize(parameters, { loginName, password } = {}) {
    const begun = await this.request(`/oauth/v2/authorize?${new URLSearchParams(parameters)}`);
    const location = begun.headers.get('location');
    if (location === null) throw new Error(`the authorization endpoint answered ${begun.status}`);
    const target = new URL(location, this.#issuer);
    if (target.origin !== this.#issuer) return target.searchParams;
    const page = await (await this.request(target.href)).text();
    const answered = await this.request('/login', {
      method: 'POST',
      form: { ...hiddenFields(page), loginName, password },
    });
    const answer = answered.headers.get('location');
    if (answer === null) throw new Error(`the sign-in page answered ${answered.status}`);
    return new URL(answer, this.#issuer).searchParams;
  }
}

/** Hidden fields of a page's forms, by name, save of the last one of a sign-in, which cancels it by a token of its own. */
export function hiddenFields(page) {
  const fields = {};
  const [forms = ''] = page.split('action="/login/cancel"');
  for (const [tag] of forms.matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1];
    if (name !== undefined) fields[name] = unescapeHtml(/value="([^"]*)"/.exec(tag)?.[1] ?? '');
  }
  return fields;
}

/** Text of an attribute as a browser reads it. */
export function unescapeHtml(text) {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** A fresh PKCE pair (RFC 7636 §4.1, §4.2). */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
