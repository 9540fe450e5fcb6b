import { describe, expect, it } from 'vitest';
import {
  inspectHash,
  readHash,
  schemeNames,
  schemeOf,
} from '../../../src/domain/passwords/schemes/password-schemes.js';
import { importedHashes } from '../../support/imported-hashes.js';

const cases = importedHashes.map((hash) => [`${hash.family}: ${hash.name}`, hash] as const);

// The dearest ones take a second of a busy machine.
describe('a hash of another product', () => {
  it.each(cases)('%s', async (_, { family, encoded, password, scheme, weak }) => {
    expect(schemeOf(encoded).name).toBe(family === 'keycloak' && encoded.startsWith('$') ? 'pbkdf2' : family);
    expect(inspectHash(encoded)).toEqual({ scheme, weak, cost: expect.stringMatching(/./) });
    const read = readHash(encoded);
    expect(await read.matches(Buffer.from(password))).toBe(true);
    expect(await read.matches(Buffer.from(`${password} `))).toBe(false);
  });

  it.each(cases)('S186: %s, in the slow lane too', async (_, { encoded, password }) => {
    const read = readHash(encoded);
    expect(read.work(password.length)).toBeGreaterThan(0);
    expect(await read.matches(Buffer.from(password), 'slow')).toBe(true);
    expect(await read.matches(Buffer.from(`${password} `), 'slow')).toBe(false);
  });

  it('S186: is estimated by its cost: a doubled cost is twice the work', () => {
    const work = (encoded: string): number => readHash(encoded).work(8);
    const bcrypt = (cost: string): string => `$2b$${cost}$${'.'.repeat(22)}${'a'.repeat(30)}u`;
    expect(work(bcrypt('15')) / work(bcrypt('14'))).toBeCloseTo(2);
    const salted = 'c2FsdHNhbHRzYWx0$MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE';
    expect(
      work(`$argon2id$v=19$m=38912,t=2,p=1$${salted}`) / work(`$argon2id$v=19$m=19456,t=2,p=1$${salted}`),
    ).toBeCloseTo(2);
    const sha = (rounds: number): string => `$6$rounds=${rounds}$saltsalt$${'Z'.repeat(85)}.`;
    expect(work(sha(400_000)) / work(sha(200_000))).toBeCloseTo(2);
    // a long password multiplies the loops
    expect(readHash(sha(200_000)).work(1024)).toBeGreaterThan(2 * work(sha(200_000)));
  });

  it('is there for every scheme', () => {
    expect(new Set(importedHashes.map(({ family }) => family))).toEqual(new Set(schemeNames));
  });
});
