import type { OidcConfig } from '../../applications/oidc-config.js';
import { LOOPBACK_HOSTS, URI_PLAIN } from '../../applications/redirect-uri.js';
import { OAuthError } from '../../shared/errors.js';
import { parseJson } from '../../shared/unique-members.js';
import type { SigningAlgorithm } from '../../signing-keys/signing-key.js';
import { OPEN_GRANT_TYPES, readMetadata, type ReadMetadata } from '../metadata/client-metadata.js';

/** Whether a client id names a place where its client describes itself. On loopback in clear, for developers' machines. */
export function isDocumentAddress(clientId: string): boolean {
  return /^https?:\/\//i.test(clientId);
}

/** Why it cannot be one (draft-ietf-oauth-client-id-metadata-document §3), or undefined when it can. */
export function documentAddressProblem(clientId: string): string | undefined {
  if (clientId.length > 200) return 'is longer than 200 characters';
  if (!URI_PLAIN.test(clientId) || clientId.includes('\\') || !URL.canParse(clientId)) return 'is no address';
  const url = new URL(clientId);
  const isLoopback = url.protocol === 'http:' && LOOPBACK_HOSTS.has(url.hostname);
  if (url.protocol !== 'https:' && !isLoopback) return 'must use https';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (clientId.includes('#')) return 'must not have a fragment';
  if (url.search !== '' || clientId.includes('?')) return 'must not have a query';
  if (url.pathname === '/') return 'must have a path';
  // one document has one spelling: dot segments, capitals in the host, a port that goes without saying
  return url.href === clientId ? undefined : 'is not in its canonical form';
}

/**
 * A document is metadata of RFC 7591 that names the address where it stands. There is nobody to agree on a secret with, so its
 * client has none: it is public, or signs with a key of the document (§4.1).
 *
 * @param kept as the client is: what no document names stays, and so does what is strict and left out
 * @throws OAuthError that says what is wrong
 */
export function readDocument(
  text: string,
  clientId: string,
  algorithm: SigningAlgorithm,
  kept?: OidcConfig,
): ReadMetadata {
  const given = objectIn(text);
  if (given['client_id'] !== clientId) throw unfit('client_id is not its address');
  if (given['client_secret'] !== undefined || given['client_secret_expires_at'] !== undefined) {
    throw unfit('there must be no client_secret');
  }
  const method = given['token_endpoint_auth_method'] ?? 'none';
  if (method !== 'none' && method !== 'private_key_jwt') {
    throw unfit('token_endpoint_auth_method must be none or private_key_jwt');
  }
  const { grant_types: grants, jwks_uri: keysAt, backchannel_logout_uri: _, ...others } = given;
  const offered = Array.isArray(grants) ? (grants as readonly unknown[]) : ['authorization_code'];
  return readMetadata(
    {
      ...others,
      ...(method === 'private_key_jwt' && keysAt !== undefined && { jwks_uri: keysAt }),
      token_endpoint_auth_method: method,
      // a document is for many services: of what it can do, what this one gives
      grant_types: OPEN_GRANT_TYPES.filter((grant) => offered.includes(grant)),
      response_types: ['code'],
      scope: undefined,
    },
    'document',
    algorithm,
    kept,
  );
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw unfit('it is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unfit('it is no JSON object');
  return value as Readonly<Record<string, unknown>>;
}

function unfit(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description);
}
