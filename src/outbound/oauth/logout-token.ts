import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload } from 'jose';
import type { OAuthProvider } from '../../domain/identity-providers/identity-provider.js';
import type { OidcProtocol } from '../../domain/identity-providers/oauth/presets.js';
import {
  ProviderRefused,
  ProviderUnavailable,
  type ProviderLogout,
} from '../../domain/identity-providers/provider-client.js';
import { LOGOUT_EVENT } from '../../domain/logout/logout-tokens.js';
import type { ProviderCalls } from './provider-calls.js';
import type { Discovered } from './provider-discovery.js';
import { sessionOf, subjectOf } from './provider-person.js';

/** A logout token is for now (Back-Channel Logout §2.6). */
const LOGOUT_TOKEN_SECONDS = 300;
const LOGOUT_SKEW_SECONDS = 60;
/** Whatever a provider signs with; never what a secret could, which is also known to it alone by promise. */
const SIGNED_BY_KEY = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/**
 * A logout token of a provider (Back-Channel Logout §2.6), by its keys.
 *
 * @throws ProviderRefused for one that does not hold, ProviderUnavailable, and what a call throws
 */
export async function readLogoutToken(
  calls: ProviderCalls,
  provider: OAuthProvider,
  { clientId }: OidcProtocol,
  discovered: Discovered,
  token: string,
): Promise<ProviderLogout> {
  const { issuer, jwks_uri: address } = await discovered.server;
  if (address === undefined) throw new ProviderUnavailable('no keys');
  discovered.logoutKeys ??= createRemoteJWKSet(new URL(address), {
    [customFetch]: async (url, { headers }) =>
      await calls.call(provider, url, { headers: Object.fromEntries(new Headers(headers)) }),
  });
  try {
    const { payload, protectedHeader } = await jwtVerify(token, discovered.logoutKeys, {
      issuer,
      audience: clientId,
      algorithms: SIGNED_BY_KEY,
      maxTokenAge: LOGOUT_TOKEN_SECONDS,
      clockTolerance: LOGOUT_SKEW_SECONDS,
    });
    return logoutOf(payload, protectedHeader.typ);
  } catch (error) {
    if (error instanceof errors.JOSEError && !isKeysAway(error)) throw new ProviderRefused(error.code);
    throw error;
  }
}

/** jose says of an answer that is no key set, and of none, that it expected one; of a token that is not good it says why. */
function isKeysAway(error: errors.JOSEError): boolean {
  return error instanceof errors.JWKSTimeout || error.code === errors.JOSEError.code;
}

/** @throws ProviderRefused for a token of another kind: an ID token has a nonce or lacks the event (§2.6) */
function logoutOf(claims: JWTPayload, typ: string | undefined): ProviderLogout {
  const { events, nonce, sub, iat } = claims;
  if (typ !== undefined && !/^(?:application\/)?(?:logout\+jwt|jwt)$/i.test(typ)) {
    throw new ProviderRefused('typ names another kind of token');
  }
  const event: unknown =
    typeof events === 'object' && events !== null ? Reflect.get(events, LOGOUT_EVENT) : undefined;
  if (typeof event !== 'object' || event === null) throw new ProviderRefused('it is no logout token');
  if (nonce !== undefined) throw new ProviderRefused('a logout token has no nonce');
  const session = sessionOf(claims['sid']);
  const subject = sub === undefined ? undefined : subjectOf(sub);
  if (subject === undefined && session === undefined) throw new ProviderRefused('it names nobody');
  return { subject, session, issuedAt: iat ?? 0 };
}
