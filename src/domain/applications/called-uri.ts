import { LOOPBACK_HOSTS, URI_MAX_LENGTH, URI_PLAIN } from './redirect-uri.js';

/**
 * Why `uri` may not be registered as one that this service calls: for back-channel logout (Back-Channel Logout §2.2), or for the
 * keys of an application. Undefined when it may; the addresses it resolves to are checked again at each call (outbound/address-rules.ts).
 */
export function calledUriProblem(uri: string, devMode: boolean): string | undefined {
  if (uri.length > URI_MAX_LENGTH) return `is longer than ${URI_MAX_LENGTH} characters`;
  if (!URI_PLAIN.test(uri) || uri.includes('\\')) return 'has characters that a URI cannot have';
  if (!URL.canParse(uri)) return 'is not an absolute URI';
  if (uri.includes('#')) return 'must not have a fragment';
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:' && (devMode || LOOPBACK_HOSTS.has(url.hostname))) return undefined;
  return 'must use https (http only in development mode or on loopback)';
}
