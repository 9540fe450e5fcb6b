/** A browser of the plainest kind: cookies, redirects on its own origin, forms. */
export class PlainBrowser {
  constructor(issuer: string);
  /** Asks for a code and signs in where the service wants it; gives what the redirect brought. */
  authorize(
    parameters: Readonly<Record<string, string>>,
    person?: { readonly loginName: string; readonly password: string },
  ): Promise<URLSearchParams>;
}

/** A fresh PKCE pair (RFC 7636 §4.1, §4.2). */
export function pkce(): { readonly verifier: string; readonly challenge: string };
