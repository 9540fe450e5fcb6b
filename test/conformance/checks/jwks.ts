import { createPublicKey } from 'node:crypto';
import { isObject, isText, type Json } from './json.js';

const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  EC: ['ES256', 'ES384', 'ES512'],
  OKP: ['EdDSA', 'Ed25519'],
};
const CURVES: Readonly<Record<string, readonly string[]>> = {
  EC: ['P-256', 'P-384', 'P-521'],
  OKP: ['Ed25519'],
};

export function keysOf(jwks: Json): readonly Json[] {
  const { keys } = jwks;
  return Array.isArray(keys) ? keys.filter(isObject) : [];
}

/** RFC 7517, and what the suite asks of a published set: public, parseable, every key with a name of its own. */
export function jwksFaults(jwks: Json | undefined): string[] {
  if (jwks === undefined || !Array.isArray(jwks['keys'])) return ['the key set is no JSON object with keys'];
  const keys = keysOf(jwks);
  const faults: string[] = [];
  if (keys.length === 0) faults.push('the key set is empty');
  if (keys.length !== jwks['keys'].length) faults.push('a key is no JSON object');
  const names = keys.map((key) => key['kid']);
  if (new Set(names).size !== names.length) faults.push('two keys have the same kid');
  return [
    ...faults,
    ...keys.flatMap((key, index) => keyFaults(key).map((fault) => `key ${index}: ${fault}`)),
  ];
}

function keyFaults(key: Json): string[] {
  const faults = PRIVATE.filter((name) => name in key).map((name) => `has the private member ${name}`);
  if (!isText(key['kid']) || key['kid'].trim() === '') faults.push('has no kid');
  const type = String(key['kty']);
  const curves = CURVES[type];
  if (ALGORITHMS[type] === undefined) faults.push(`has the unknown kty ${type}`);
  if (curves !== undefined && !curves.includes(String(key['crv']))) faults.push('has an unknown crv');
  if ('alg' in key && ALGORITHMS[type]?.includes(String(key['alg'])) !== true)
    faults.push('has an unknown alg');
  if ('use' in key && !['sig', 'enc'].includes(String(key['use']))) faults.push('has an unknown use');
  try {
    createPublicKey({ key: { ...key }, format: 'jwk' });
  } catch {
    faults.push('cannot be parsed');
  }
  return faults;
}
