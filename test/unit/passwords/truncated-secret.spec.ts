import { createHash, pbkdf2Sync } from 'node:crypto';
import { hash as bcryptHash } from '@node-rs/bcrypt';
import { describe, expect, it } from 'vitest';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import { draw } from '../../support/draw.js';
import { TEST_BILL } from '../../support/hashing.js';
import { importedHashes } from '../../support/imported-hashes.js';
import { tryTruncatedSecrets } from '../../support/truncated-secrets.js';

const hashing = new PasswordHashing({
  memoryKib: 64,
  iterations: 1,
  parallelism: 1,
  slots: 2,
  queueLimit: 100,
  schemesOff: [],
});

describe('S194: a password that a hash cannot tell apart never replaces it', () => {
  it('whatever is drawn: the true password goes on to open, and nothing else is ever stored', async () => {
    const { accepted, rehashed, faults } = await tryTruncatedSecrets(draw(194), 500);
    expect(faults).toEqual([]);
    // or the test would not have looked for anything
    expect(accepted).toBeGreaterThan(20);
    expect(rehashed).toBeGreaterThan(200);
  });

  it.each([
    [70, true],
    [71, true],
    [72, false],
    [73, false],
    [80, false],
  ])('bcrypt: %i bytes typed', async (bytes, needsRehash) => {
    const encoded = await bcryptHash('x'.repeat(bytes), { cost: 4 });
    expect(await hashing.verify(encoded, 'x'.repeat(bytes), TEST_BILL)).toEqual({
      matches: true,
      needsRehash,
      rehashWithheld: !needsRehash,
    });
  });

  it('bcrypt counts bytes, not characters', async () => {
    const password = 'ä'.repeat(36);
    const encoded = await bcryptHash(password, { cost: 4 });
    expect(await hashing.verify(encoded, `${password}tail`, TEST_BILL)).toMatchObject({
      rehashWithheld: true,
    });
  });

  it('bcrypt reads in circles: the password, a NUL and the password again is the same', async () => {
    const encoded = await bcryptHash('ab', { cost: 4 });
    expect(await hashing.verify(encoded, 'ab\0ab', TEST_BILL)).toMatchObject({
      matches: true,
      needsRehash: false,
    });
    expect(await hashing.verify(encoded, 'ab', TEST_BILL)).toMatchObject({
      matches: true,
      needsRehash: true,
    });
  });

  it('HMAC fills a short key up with NUL', async () => {
    const salt = Buffer.from('sixteen byte slt');
    const key = pbkdf2Sync('secret', salt, 2, 32, 'sha256').toString('base64');
    const encoded = `$pbkdf2-sha256$2$${salt.toString('base64')}$${key}`;
    expect(await hashing.verify(encoded, 'secret\0', TEST_BILL)).toMatchObject({
      matches: true,
      needsRehash: false,
    });
    expect(await hashing.verify(encoded, 'secret', TEST_BILL)).toMatchObject({
      matches: true,
      needsRehash: true,
    });
  });

  it('HMAC takes the digest of a long key for the key', async () => {
    const salt = Buffer.from('sixteen byte slt');
    const [password, digest] = longWithReadableDigest();
    const key = pbkdf2Sync(password, salt, 2, 32, 'sha1').toString('base64');
    const encoded = `$pbkdf2-sha1$2$${salt.toString('base64')}$${key}`;
    expect(await hashing.verify(encoded, digest, TEST_BILL)).toMatchObject({
      matches: true,
      needsRehash: false,
    });
    expect(await hashing.verify(encoded, password, TEST_BILL)).toMatchObject({
      matches: true,
      needsRehash: true,
    });
  });

  it.each(importedHashes.filter(({ password }) => Buffer.byteLength(password) < 72))(
    'what people type is re-hashed as ever: $family, $name',
    async ({ encoded, password }) => {
      const { needsRehash, rehashWithheld } = await hashing.verify(encoded, password, TEST_BILL);
      expect(rehashWithheld).toBe(false);
      expect(needsRehash || encoded.includes('argon2')).toBe(true);
    },
  );

  it('argon2id at a lower cost is raised, however long the password and whatever is in it', async () => {
    const cheap = new PasswordHashing({
      memoryKib: 32,
      iterations: 1,
      parallelism: 1,
      slots: 2,
      queueLimit: 100,
      schemesOff: [],
    });
    const password = `${'x'.repeat(200)}\0y`;
    expect(await hashing.verify(await cheap.hash(password, TEST_BILL), password, TEST_BILL)).toMatchObject({
      needsRehash: true,
    });
  });
});

/** A password longer than a block whose SHA-1 happens to be UTF-8; about one in half a million is. */
function longWithReadableDigest(): [password: string, digest: string] {
  for (let number = 0; ; number += 1) {
    const password = `${'p'.repeat(70)}${number}`;
    const bytes = createHash('sha1').update(password).digest();
    const text = bytes.toString('utf8');
    if (Buffer.from(text).equals(bytes)) return [password, text];
  }
}
