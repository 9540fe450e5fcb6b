import { OAuthError } from '../shared/errors.js';
import type { ClientAuthenticationMethod, ClientCredentials } from './client-authentication.js';
import { secretMatches, type PresentedSecret } from './client-secret.js';

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/** `application/x-www-form-urlencoded` decoding of one value; undefined when an escape is malformed. */
function formDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** @throws OAuthError invalid_client */
export function readBasicSecret(authorization = ''): PresentedSecret {
  const encoded = BASIC.exec(authorization.trim())?.[1] ?? '';
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  const clientId = formDecode(decoded.slice(0, Math.max(colon, 0)));
  const secret = formDecode(decoded.slice(colon + 1));
  if (colon < 1 || clientId === undefined || secret === undefined) {
    throw new OAuthError('invalid_client', 'the Authorization header is not valid Basic credentials');
  }
  return { clientId, secret };
}

/**
 * client_secret_basic (RFC 6749 §2.3.1): id and secret are form-encoded, then joined by a colon, then base64. Our
 * own ids and secrets have no character that form-encoding changes, so clients that skip it work as well.
 */
export const clientSecretBasic: ClientAuthenticationMethod = {
  name: 'client_secret_basic',

  // whoever sends the header has tried to authenticate by it, whatever the scheme (RFC 6749 §5.2)
  isUsedBy: ({ authorization }: ClientCredentials) => authorization !== undefined,

  readClaim({ authorization }) {
    const { clientId, secret } = readBasicSecret(authorization);
    return { clientId, verify: (application) => secretMatches(application, secret) };
  },
};
