import type { OwnKey } from '../../applications/applications.store.js';
import { calledUriProblem } from '../../applications/called-uri.js';
import { keyIdOf, NAMELESS } from '../../applications/keys/key-set.js';
import { takesKeys } from '../../applications/oidc-config.js';
import { ApiError, type OAuthError } from '../../shared/errors.js';
import { readPublicKey } from '../../signing-keys/assertion-key.js';
import { unfit } from './metadata-fault.js';
import type { Metadata } from './metadata-schema.js';

/** RFC 7591 §2: `jwks` and `jwks_uri` exclude each other. A client that signs nothing has no keys, whatever it sends. */
export function jwksUriOf({
  token_endpoint_auth_method: method,
  jwks,
  jwks_uri: uri,
}: Metadata): string | null {
  if (uri === undefined) return null;
  if (jwks !== undefined) throw unfit('jwks and jwks_uri exclude each other');
  const problem = calledUriProblem(uri, false);
  if (problem !== undefined) throw unfit(`jwks_uri ${problem}`);
  return method === 'private_key_jwt' ? uri : null;
}

export function keysOf({
  token_endpoint_auth_method: method,
  jwks,
  jwks_uri: uri,
}: Metadata): readonly OwnKey[] {
  if (!takesKeys(method)) return [];
  if (method === 'private_key_jwt' && uri !== undefined) return [];
  if (jwks === undefined) {
    throw unfit(`${method} needs jwks${method === 'private_key_jwt' ? ' or jwks_uri' : ''}`);
  }
  const keys = jwks.keys.map((jwk, index) => {
    const kid = keyIdOf(jwk['kid']);
    if (kid === undefined) throw unfit(`jwks.keys[${index}] has a kid that is no id`);
    if (kid === NAMELESS && jwks.keys.length > 1) {
      throw unfit(`jwks.keys[${index}] must have a kid: only the one key of a set may do without`);
    }
    return { kid, publicJwk: publicKeyOf(jwk, index) };
  });
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw unfit('jwks has a kid twice');
  return keys;
}

function publicKeyOf(jwk: unknown, index: number) {
  try {
    return readPublicKey(jwk);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw unfit(`jwks.keys[${index}]${error.text.replace(/^publicKey/, '')}`);
  }
}

/** Keys that an administrator put on file are not the client's to take away. */
export function keysOnFile(): OAuthError {
  return unfit('jwks_uri: an administrator has given this client keys on file');
}
