import { claimTypeFaults } from './claims.js';
import { isText, type Json } from './json.js';
import { halfHash, readJwt, signatureFaults } from './jwt.js';

const SKEW = 300;
const YEAR = 365 * 24 * 3600;

export interface ExpectedIdToken {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined when the request had none. */
  readonly nonce: string | undefined;
  readonly jwks: Json;
  readonly nowSeconds: number;
}

/** What holds for every ID token (OpenID Connect Core §2, §3.1.3.7). */
export async function idTokenFaults(token: string, expected: ExpectedIdToken): Promise<string[]> {
  const { claims } = readJwt(token);
  const faults = [...timeFaults(claims, expected.nowSeconds)];
  if (claims['iss'] !== expected.issuer) faults.push(`iss is ${String(claims['iss'])}`);
  const aud: unknown = claims['aud'];
  const audience: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audience.includes(expected.clientId)) faults.push('aud is not the client');
  if (claims['nonce'] !== expected.nonce) faults.push('nonce is not that of the request');
  if ('acr' in claims && !isText(claims['acr'])) faults.push('acr is not a string with content');
  const { sub } = claims;
  if (!isText(sub) || !/^[\x20-\x7e]{1,255}$/.test(sub))
    faults.push('sub is not 1 to 255 printable ASCII characters');
  return [
    ...faults.map((fault) => `ID token: ${fault}`),
    ...claimTypeFaults('ID token', claims, expected.nowSeconds),
    ...(await signatureFaults('ID token', token, expected.jwks)),
  ];
}

function timeFaults(claims: Json, now: number): string[] {
  const { exp, iat, auth_time: authTime } = claims;
  const faults: string[] = [];
  if (typeof exp !== 'number') faults.push('exp is missing');
  else if (exp < now - SKEW || exp > now + 50 * YEAR) faults.push(`exp is out of reach: ${exp}`);
  if (typeof iat !== 'number') faults.push('iat is missing');
  else if (Math.abs(iat - now) > SKEW) faults.push(`iat is not now: ${iat}`);
  if ('auth_time' in claims) {
    if (typeof authTime !== 'number') faults.push('auth_time is not a number');
    else if (authTime > now + SKEW || authTime < now - YEAR)
      faults.push(`auth_time is out of reach: ${authTime}`);
  }
  return faults;
}

export interface HashedValue {
  readonly claim: 'at_hash' | 'c_hash';
  readonly value: string;
  /** Must be there; otherwise it must only be right where it is. */
  readonly required: boolean;
}

export function hashFaults(token: string, { claim, value, required }: HashedValue): string[] {
  const { header, claims } = readJwt(token);
  if (!(claim in claims)) return required ? [`ID token: ${claim} is missing`] : [];
  return claims[claim] === halfHash(String(header['alg']), value) ? [] : [`ID token: ${claim} is wrong`];
}

/** An ID token of the refresh grant beside the first one (OpenID Connect Core §12.2). */
export function refreshedIdTokenFaults(first: Json, second: Json): string[] {
  const faults = ['iss', 'sub'].filter((name) => !(name in second) || second[name] !== first[name]);
  if (JSON.stringify(second['aud']) !== JSON.stringify(first['aud'])) faults.push('aud');
  if (second['azp'] !== first['azp']) faults.push('azp');
  if ('auth_time' in second && second['auth_time'] !== first['auth_time']) faults.push('auth_time');
  const fresh = typeof second['iat'] === 'number' && second['iat'] !== first['iat'];
  return [
    ...faults.map((name) => `refreshed ID token: ${name} is another one`),
    ...(fresh ? [] : ['refreshed ID token: iat is not its own']),
  ];
}
