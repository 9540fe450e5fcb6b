import { OAuthError } from '../../shared/errors.js';
import type { Check } from './check.js';

/**
 * An ID token that comes through the browser is tied to the request by its nonce and by nothing else (OpenID Connect
 * Core §3.2.2.1). With a code it is the client's own choice.
 */
export const requireNonce: Check = ({ found }) => {
  if (found.responseType !== 'code' && found.nonce === undefined) {
    throw new OAuthError('invalid_request', 'nonce missing');
  }
  return {};
};
