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
describe('a hash of another product', { timeout: 30_000 }, () => {
  it.each(cases)('%s', async (_, { family, encoded, password, scheme, weak }) => {
    expect(schemeOf(encoded).name).toBe(family === 'keycloak' && encoded.startsWith('$') ? 'pbkdf2' : family);
    expect(inspectHash(encoded)).toEqual({ scheme, weak, cost: expect.stringMatching(/./) });
    const read = readHash(encoded);
    expect(await read.matches(Buffer.from(password))).toBe(true);
    expect(await read.matches(Buffer.from(`${password} `))).toBe(false);
  });

  it('is there for every scheme', () => {
    expect(new Set(importedHashes.map(({ family }) => family))).toEqual(new Set(schemeNames));
  });
});
