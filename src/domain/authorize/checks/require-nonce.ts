import { gives } from '../../applications/oidc-config.js';
import { OAuthError } from '../../shared/errors.js';
import type { Check } from './check.js';

/**
 * An ID token that comes through the browser is tied to the request by its nonce and by nothing else (OpenID Connect
 * Core §3.2.2.1, §3.3.2.11). Where it comes for a code alone it is the client's own choice.
 */
export const requireNonce: Check = ({ found }) => {
  if (gives(found.responseType, 'id_token') && found.nonce === undefined) {
    throw new OAuthError('invalid_request', 'nonce missing');
  }
  return {};
};
