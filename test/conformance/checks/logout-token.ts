import type { Call } from '../support/suite-server.js';
import { isObject, isText, type Json } from './json.js';
import { readJwt, signatureFaults } from './jwt.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const DAY = 24 * 3600;

export interface ExpectedLogout {
  readonly issuer: string;
  readonly clientId: string;
  readonly idToken: Json;
  readonly jwks: Json;
  readonly nowSeconds: number;
}

/** The request that tells an application of a logout (OpenID Connect Back-Channel Logout 1.0 §2.4, §2.5). */
export async function logoutRequestFaults(call: Call, expected: ExpectedLogout): Promise<string[]> {
  const faults: string[] = [];
  if (call.tls !== 'TLSv1.3') faults.push(`came over ${String(call.tls)}`);
  if (call.method !== 'POST') faults.push(`came by ${call.method}`);
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(String(call.headers['content-type']))) {
    faults.push(`came as ${String(call.headers['content-type'])}`);
  }
  const parameters = new URLSearchParams(call.body);
  if ([...parameters.keys()].join() !== 'logout_token') faults.push(`has ${[...parameters.keys()].join()}`);
  const token = parameters.get('logout_token');
  if (!isText(token)) return [...faults, 'has no logout_token'];
  return [
    ...faults,
    ...logoutClaimFaults(readJwt(token).claims, expected),
    ...(await signatureFaults('logout token', token, expected.jwks)),
  ];
}

function logoutClaimFaults(
  claims: Json,
  { issuer, clientId, idToken, nowSeconds }: ExpectedLogout,
): string[] {
  const faults: string[] = [];
  if (claims['iss'] !== issuer) faults.push('iss is not the issuer');
  const aud: unknown = claims['aud'];
  const audience: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audience.includes(clientId)) faults.push('aud is not the client');
  const { iat, exp, events } = claims;
  if (typeof iat !== 'number' || iat > nowSeconds + 300 || iat < nowSeconds - DAY)
    faults.push('iat is not now');
  // §2.4 made it required after the suite was written
  if (typeof exp !== 'number' || exp < nowSeconds) faults.push('exp is missing or over');
  if (!isText(claims['jti'])) faults.push('jti is missing');
  const event = isObject(events) && Object.keys(events).join() === EVENT ? events[EVENT] : undefined;
  if (!isObject(event) || Object.keys(event).length > 0) faults.push('events is not the one empty event');
  if ('nonce' in claims) faults.push('nonce is there');
  if (!('sub' in claims) && !('sid' in claims)) faults.push('neither sub nor sid is there');
  for (const name of ['sub', 'sid']) {
    if (name in claims && claims[name] !== idToken[name]) faults.push(`${name} is not that of the ID token`);
  }
  return faults.map((fault) => `logout token: ${fault}`);
}
