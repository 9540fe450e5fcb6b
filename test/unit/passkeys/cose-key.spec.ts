import { generateKeyPairSync } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { describe, expect, it } from 'vitest';
import { isCoseKey } from '../../../src/domain/passkeys/cose-key.js';

type Members = readonly (readonly [number, number | string])[];

function cose(members: Members): Buffer {
  const values = members.map(
    ([label, value]) =>
      [label, typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64url')) : value] as const,
  );
  return Buffer.from(isoCBOR.encode(new Map(values)));
}

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
const ed = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });

const ES256: Members = [
  [1, 2],
  [3, -7],
  [-1, 1],
  [-2, ec.x ?? ''],
  [-3, ec.y ?? ''],
];
const with_ = (label: number, value: number | string): Members =>
  ES256.map((member) => (member[0] === label ? ([label, value] as const) : member));

describe('a COSE_Key', () => {
  it.each<[string, Members]>([
    ['ES256', ES256],
    [
      'EdDSA',
      [
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, ed.x ?? ''],
      ],
    ],
    [
      'RS256',
      [
        [1, 3],
        [3, -257],
        [-1, rsa.n ?? ''],
        [-2, rsa.e ?? ''],
      ],
    ],
  ])('of %s is one', (_, members) => {
    expect(isCoseKey(cose(members))).toBe(true);
  });

  it.each<[string, Members]>([
    ['another algorithm', with_(3, -35)],
    ['another curve', with_(-1, 2)],
    ['a point that is on no curve', with_(-3, ec.x ?? '')],
    ['half a point', ES256.slice(0, 4)],
    ['a number for a point', with_(-2, 7)],
    ['short coordinates', with_(-2, 'AAAA')],
    ['something beside it', [...ES256, [4, 1]]],
    [
      'a short modulus',
      [
        [1, 3],
        [3, -257],
        [-1, short.n ?? ''],
        [-2, short.e ?? ''],
      ],
    ],
    ['nothing', []],
  ])('is none with %s', (_, members) => {
    expect(isCoseKey(cose(members))).toBe(false);
  });

  it('is none where it is no map, not whole, or has a rest', () => {
    const whole = cose(ES256);
    expect(isCoseKey(Buffer.alloc(0))).toBe(false);
    expect(isCoseKey(Buffer.from('garbage'))).toBe(false);
    expect(isCoseKey(Buffer.concat([whole, Buffer.from([0])]))).toBe(false);
    for (let length = 1; length < whole.length; length += 1) {
      expect(isCoseKey(whole.subarray(0, length))).toBe(false);
    }
  });
});
