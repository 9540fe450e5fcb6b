import { gives } from '../../applications/oidc-config.js';
import { OAuthError } from '../../shared/errors.js';
import type { Check } from './check.js';

// a SHA-256 thumbprint (RFC 7638) in base64url: 43 characters, the last of which carries only four bits
const THUMBPRINT = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** RFC 9449 §10: the code is good with a proof of this key alone. Without a code there is nothing to bind. */
export const readDpopJkt: Check = ({ parameters, found }) => {
  const dpopJkt = parameters.get('dpop_jkt');
  if (dpopJkt === undefined || !gives(found.responseType, 'code')) return {};
  if (!THUMBPRINT.test(dpopJkt)) {
    throw new OAuthError('invalid_request', 'dpop_jkt must be a base64url SHA-256 thumbprint');
  }
  return { dpopJkt };
};
