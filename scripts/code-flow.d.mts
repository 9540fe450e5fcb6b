/** A browser of the plainest kind: cookies, redirects on its own origin, forms. */
export class PlainBrowser {
  constructor(issuer: string);
  /** Asks for a code and signs in where the service wants it; gives what the redirect brought. */
  authorize(
    parameters: Readonly<Record<string, string>>,
    person?: { readonly loginName: string; readonly password: string },
  ): Promise<URLSearchParams>;
}

/** Hidden fields of a page's forms, by name, save of the last one of a sign-in, which cancels it by a token of its own. */
export function hiddenFields(page: string): Record<string, string>;

/** Text of an attribute as a browser reads it. */
export function unescapeHtml(text: string): string;

/** A fresh PKCE pair (RFC 7636 §4.1, §4.2). */
export function pkce(): { readonly verifier: string; readonly challenge: string };
