import { calledUriProblem } from './called-uri.js';

/** Addresses at which applications publish signed authorization requests (OpenID Connect Core §6.2). */

/** Of the whole address, as the browser brings it (Core §6.2). */
const MAX_LENGTH = 512;
/** A SHA-256 in base64url. */
const HASH = /^[A-Za-z0-9_-]{43}$/;

interface RequestUri {
  /** That is called. */
  readonly address: string;
  /** Its fragment, which no server sees. */
  readonly hash: string | undefined;
}

/** One that a request may name. */
export interface RegisteredRequestUri extends RequestUri {
  /** Whether the hash has to be that of what stands there. */
  readonly isBinding: boolean;
}

/** Why `uri` may not be registered as one of them, or undefined when it may: https, and in clear on loopback alone, in development mode too. */
export function requestUriProblem(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  const { address, hash } = partsOf(uri);
  if (hash !== undefined && !HASH.test(hash)) {
    return 'must have no fragment but the SHA-256 of what stands there in base64url';
  }
  return calledUriProblem(address, false);
}

function partsOf(uri: string): RequestUri {
  const end = uri.indexOf('#');
  return end < 0
    ? { address: uri, hash: undefined }
    : { address: uri.slice(0, end), hash: uri.slice(end + 1) };
}

/**
 * Compared character by character, but for the fragment: that is no part of where something stands (RFC 9101 §5.2 knows none), and changes with it
 * (Core §6.2.1). A hash that comes with the request is of what stands there then. One that was registered need not be: nobody
 * could know then what would stand there, and the certification suite of the OpenID Foundation registers that of something else.
 *
 * @returns undefined for what is not registered
 */
export function findRequestUri(uri: string, registered: readonly string[]): RegisteredRequestUri | undefined {
  const parts = partsOf(uri);
  if (uri.length > MAX_LENGTH || !registered.some((one) => partsOf(one).address === parts.address)) {
    return undefined;
  }
  return { ...parts, isBinding: parts.hash !== undefined && !registered.includes(uri) };
}
