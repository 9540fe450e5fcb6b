import type { ClientAuthenticationMethod } from './client-authentication.js';
import { secretMatches } from './client-secret.js';

/** client_secret_post (RFC 6749 §2.3.1): client_id and client_secret in the body. */
export const clientSecretPost: ClientAuthenticationMethod = {
  name: 'client_secret_post',

  isUsedBy: ({ parameters }) => parameters.has('client_secret'),

  readClaim({ parameters }) {
    const clientId = parameters.require('client_id');
    const secret = parameters.require('client_secret');
    return { clientId, verify: (application) => secretMatches(application, secret) };
  },
};
