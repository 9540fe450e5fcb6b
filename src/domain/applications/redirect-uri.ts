/**
 * Redirect URIs: what may be registered, and what a request may ask for. Requests are compared as exact strings
 * (RFC 9700 §2.1); the one exception is a native application's http loopback URI, whose port may differ
 * (RFC 8252 §7.3). The console imports this file, so it needs nothing that a browser lacks.
 */

/** What an application is decides which it may register. */
export const APP_TYPES = ['web', 'user_agent', 'native'] as const;
export type AppType = (typeof APP_TYPES)[number];

export const URI_MAX_LENGTH = 2048;
// printable ASCII without space: whatever a browser could strip or reinterpret is refused before it is compared
export const URI_PLAIN = /^[!-~]+$/;
/** Schemes that run or reveal something in the browser itself. */
const FORBIDDEN_SCHEMES = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'about:',
  'filesystem:',
  'ws:',
  'wss:',
]);
export const LOOPBACK_HOSTS = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** What is said of a URI that breaks a rule, after its name. */
export const REDIRECT_URI_FAULTS = {
  length: `is longer than ${URI_MAX_LENGTH} characters`,
  characters: 'has characters that a URI cannot have',
  relative: 'is not an absolute URI',
  scheme: 'has a scheme that is never allowed',
  fragment: 'must not have a fragment',
  credentials: 'must not contain credentials',
  wildcard: 'must not contain a wildcard',
  http: 'must use https (http only with devMode, or on loopback for native applications)',
  https: 'must use https',
  dot: 'has a custom scheme without a dot; use a reverse domain name such as com.example.app:/callback, or devMode',
} as const;
export type RedirectUriFault = keyof typeof REDIRECT_URI_FAULTS;

/**
 * Which rule `uri` breaks, or undefined when it may be registered.
 * Web and user-agent applications need https; http is for loopback and for applications in development mode.
 * Native applications may also use a scheme of their own, which RFC 8252 §7.1 wants in reverse-domain form.
 */
export function redirectUriFault(
  uri: string,
  appType: AppType,
  devMode: boolean,
): RedirectUriFault | undefined {
  if (uri.length > URI_MAX_LENGTH) return 'length';
  if (!URI_PLAIN.test(uri) || uri.includes('\\')) return 'characters';
  if (!URL.canParse(uri)) return 'relative';
  const url = new URL(uri);
  if (FORBIDDEN_SCHEMES.has(url.protocol)) return 'scheme';
  if (uri.includes('#')) return 'fragment';
  if (url.username !== '' || url.password !== '') return 'credentials';
  if (uri.includes('*')) return 'wildcard';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') {
    return devMode || (appType === 'native' && LOOPBACK_HOSTS.has(url.hostname)) ? undefined : 'http';
  }
  if (appType !== 'native') return 'https';
  return url.protocol.includes('.') || devMode ? undefined : 'dot';
}

/** The same in words, for the answer of the API. */
export function redirectUriProblem(uri: string, appType: AppType, devMode: boolean): string | undefined {
  const fault = redirectUriFault(uri, appType, devMode);
  return fault && REDIRECT_URI_FAULTS[fault];
}

/** Whether it could be registered in development mode and not otherwise. */
export function needsDevMode(uri: string, appType: AppType): boolean {
  return (
    redirectUriProblem(uri, appType, false) !== undefined &&
    redirectUriProblem(uri, appType, true) === undefined
  );
}

/** Whether a requested redirect URI is one of the registered ones. */
export function isRegisteredRedirectUri(
  requested: string,
  registered: readonly string[],
  appType: AppType,
): boolean {
  if (registered.includes(requested)) return true;
  if (appType !== 'native' || requested.length > URI_MAX_LENGTH || !URI_PLAIN.test(requested)) return false;
  return registered.some((uri) => differOnlyInLoopbackPort(requested, uri));
}

// the name is no better than the addresses, and what libraries register (RFC 8252 §7.3, §8.3)
const LOOPBACK_URI = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([0-9]{1,5}))?(\/[^#]*)?$/;

function differOnlyInLoopbackPort(requested: string, registered: string): boolean {
  const wanted = LOOPBACK_URI.exec(requested);
  const known = LOOPBACK_URI.exec(registered);
  if (wanted === null || known === null) return false;
  return (
    wanted[1] === known[1] && (wanted[3] ?? '') === (known[3] ?? '') && Number(wanted[2] ?? 80) <= 65_535
  );
}
