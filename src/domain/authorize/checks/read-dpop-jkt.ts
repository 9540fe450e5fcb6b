import { gives } from '../../applications/oidc-config.js';
import { OAuthError } from '../../shared/errors.js';
import { isSha256Text } from '../../shared/random.js';
import type { Check } from './check.js';

/** A thumbprint (RFC 7638), RFC 9449 §10: the code is good with a proof of this key alone. Without a code there is nothing to bind. */
export const readDpopJkt: Check = ({ parameters, found }) => {
  const dpopJkt = parameters.get('dpop_jkt');
  if (dpopJkt === undefined || !gives(found.responseType, 'code')) return {};
  if (!isSha256Text(dpopJkt)) {
    throw new OAuthError('invalid_request', 'dpop_jkt must be a base64url SHA-256 thumbprint');
  }
  return { dpopJkt };
};
