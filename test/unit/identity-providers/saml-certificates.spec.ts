import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  lastExpiry,
  readCertificate,
} from '../../../src/domain/identity-providers/saml/saml-certificates.js';
import { makeOwnKey, readOwnKey } from '../../../src/outbound/saml/own-key.js';

describe('certificates of a provider that speaks SAML', () => {
  it('are read as PEM and as base64 alone, and are one thing', async () => {
    const { certificate } = readOwnKey(await makeOwnKey(new Date('2030-01-01T00:00:00Z')));
    const bare = certificate.replaceAll(/-----.*-----/g, '');
    expect(readCertificate(bare)).toBe(readCertificate(`  ${certificate}\n`));
    expect(lastExpiry([certificate])).toEqual(new Date('2050-01-01T00:00:00Z'));
    expect(lastExpiry([])).toBeUndefined();
  });

  it('expire with the last of them', async () => {
    const made = await Promise.all(
      ['2030', '2031'].map(async (year) => readOwnKey(await makeOwnKey(new Date(year)))),
    );
    expect(lastExpiry(made.map(({ certificate }) => certificate))).toEqual(new Date('2051'));
  });

  it('are no keys, no other text, and not of elliptic curves', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    for (const text of ['', 'x', '%%%', key, key.replaceAll('PUBLIC KEY', 'CERTIFICATE')]) {
      expect(() => readCertificate(text)).toThrow('certificates must be X.509');
    }
  });
});
