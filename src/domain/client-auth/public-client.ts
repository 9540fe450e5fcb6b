import { OAuthError } from '../shared/errors.js';
import type { ClientAuthenticationMethod } from './client-authentication.js';

/**
 * `none`: the client only names itself. What a public client may do with that is verified elsewhere: PKCE binds its
 * codes, rotation guards its refresh tokens (RFC 9700 §2.1.1, §2.2.2).
 */
export const publicClient: ClientAuthenticationMethod = {
  name: 'none',

  // the last resort: any request that presents nothing else
  isUsedBy: () => true,

  readClaim({ parameters }) {
    const clientId = parameters.get('client_id');
    if (clientId === undefined) throw new OAuthError('invalid_client', 'client authentication missing');
    return { clientId, verify: (application) => application !== undefined };
  },
};
