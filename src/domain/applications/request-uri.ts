import { calledUriProblem } from './called-uri.js';

/** Addresses at which applications publish signed authorization requests (OpenID Connect Core §6.2). */

/** Of the whole address, as the browser brings it (Core §6.2). */
const MAX_LENGTH = 512;
/** A SHA-256 in base64url. */
const HASH = /^[A-Za-z0-9_-]{43}$/;

/** What stands where, and which version of it. */
export interface RequestUri {
  /** That is called. */
  readonly address: string;
  /** The SHA-256 of what stands there, or of what once did. */
  readonly hash: string | undefined;
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
