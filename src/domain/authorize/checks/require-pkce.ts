import { gives } from '../../applications/oidc-config.js';
import { needsPkce } from '../../applications/security-profile.js';
import { OAuthError } from '../../shared/errors.js';
import { isSha256Text } from '../../shared/random.js';
import type { Check } from './check.js';

/**
 * PKCE with S256 (RFC 7636 §4.3): must for public clients and under FAPI 2.0 (§5.3.2.2), offered to
 * all. A missing method would mean `plain`,
 * which is never accepted (RFC 9700 §2.1.1). Without a code there is nothing that it could protect.
 */
export const requirePkce: Check = ({ parameters, application, found }) => {
  if (!gives(found.responseType, 'code')) return {};
  const challenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (challenge === undefined) {
    if (needsPkce(application) || method !== undefined) {
      throw new OAuthError('invalid_request', 'code_challenge missing');
    }
    return {};
  }
  if (method !== 'S256') throw new OAuthError('invalid_request', 'code_challenge_method must be S256');
  if (!isSha256Text(challenge)) {
    throw new OAuthError('invalid_request', 'code_challenge must be a base64url SHA-256 value');
  }
  return { codeChallenge: challenge };
};
