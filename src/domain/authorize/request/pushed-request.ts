import { randomToken, sha256 } from '../../shared/random.js';

// What stands for a pushed request (RFC 9126 §2.2): a name and no address, so that nobody can be made to fetch anything.

const URN = 'urn:ietf:params:oauth:request_uri:';

/** From the answer to the browser that the application sends over: a redirect, which takes no person. */
export const PUSHED_REQUEST_SECONDS = 90;

export function makeRequestUri(): string {
  return URN + randomToken(32);
}

export function isPushed(requestUri: string | undefined): requestUri is string {
  return requestUri?.startsWith(URN) === true;
}

export function hashOfRequestUri(requestUri: string): Buffer {
  return sha256(requestUri);
}
