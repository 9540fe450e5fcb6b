import { pbkdf2Sync } from 'node:crypto';
import { hash as bcryptHash } from '@node-rs/bcrypt';
import { describe, expect, it } from 'vitest';
import { readHash } from '../../../src/domain/passwords/schemes/password-schemes.js';

async function verify(encoded: string, password: string | Uint8Array): Promise<boolean> {
  return readHash(encoded).matches(Buffer.from(password));
}

const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

describe('pbkdf2', () => {
  const b64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

  it.each([
    ['P', 'password', 'salt', 4096, '4b007901b765489abead49d926f721d065a429c1'],
    [
      'two blocks',
      'passwordPASSWORDpassword',
      'saltSALTsaltSALTsaltSALTsaltSALTsalt',
      4096,
      '3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038',
    ],
    ['NUL inside', 'pass\0word', 'sa\0lt', 4096, '56fa6aa75548099dcc37d7f03425e0c3'],
  ])('knows the vectors of RFC 6070: %s', async (_name, password, salt, rounds, hex) => {
    const encoded = `$pbkdf2$${rounds}$${b64(salt)}$${Buffer.from(hex, 'hex').toString('base64')}`;
    expect(await verify(encoded, password)).toBe(true);
    expect(await verify(encoded, `${password}.`)).toBe(false);
  });

  it.each(['sha1', 'sha224', 'sha256', 'sha384', 'sha512'])(
    'derives as many bytes as are stored: %s',
    async (digest) => {
      for (const bytes of [16, 20, 32, 64, 512]) {
        const hash = pbkdf2Sync('secret', 'sixteen byte salt', 3, bytes, digest);
        const encoded = `$pbkdf2-${digest}$3$${b64('sixteen byte salt')}$${hash.toString('base64')}`;
        expect(await verify(encoded, 'secret')).toBe(true);
        hash[bytes - 1] = (hash[bytes - 1] ?? 0) ^ 1;
        const changed = `$pbkdf2-${digest}$3$${b64('sixteen byte salt')}$${hash.toString('base64')}`;
        expect(await verify(changed, 'secret')).toBe(false);
      }
    },
  );

  it('takes the password as received: no trimming, no normalisation', async () => {
    const hash = pbkdf2Sync(' pa\u0308ss ', 'saltsalt', 2, 32, 'sha256').toString('base64');
    const encoded = `$pbkdf2-sha256$2$${b64('saltsalt')}$${hash}`;
    expect(await verify(encoded, ' pa\u0308ss ')).toBe(true);
    expect(await verify(encoded, 'pa\u0308ss')).toBe(false);
    expect(await verify(encoded, ' p\u00e4ss ')).toBe(false);
  });
});

describe('scrypt', () => {
  it.each([
    [
      'pleaseletmein',
      'SodiumChloride',
      'ln=14,r=8,p=1',
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2' +
        'd5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    ],
    [
      'password',
      'NaCl',
      'ln=10,r=8,p=16',
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162' +
        '2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    ],
  ])('knows the vectors of RFC 7914: %s', async (password, salt, cost, hex) => {
    const hash = Buffer.from(hex, 'hex').toString('base64');
    const encoded = `$scrypt$${cost}$${Buffer.from(salt).toString('base64')}$${hash}`;
    expect(await verify(encoded, password)).toBe(true);
    expect(await verify(encoded, `${password}.`)).toBe(false);
  });
});

describe('bcrypt', () => {
  it('reads 72 bytes, its own limit, and counts NUL as a byte', async () => {
    const long = await bcryptHash('a'.repeat(80), { cost: 4 });
    expect(await verify(long, 'a'.repeat(72))).toBe(true);
    expect(await verify(long, 'a'.repeat(71))).toBe(false);
    const nul = await bcryptHash(Buffer.from('ab\0cd'), { cost: 4 });
    expect(await verify(nul, 'ab\0cd')).toBe(true);
    expect(await verify(nul, 'ab')).toBe(false);
    expect(await verify(nul, 'ab\0ce')).toBe(false);
  });

  it('reads the 2x label for ASCII passwords', async () => {
    const encoded = (await bcryptHash('password', { cost: 4 })).replace('$2b$', '$2x$');
    expect(await verify(encoded, 'password')).toBe(true);
  });

  it('matches whatever the spare bits of salt and hash hold', async () => {
    const encoded = await bcryptHash('password', { cost: 4 });
    const next = (index: number): string => ALPHABET.charAt(ALPHABET.indexOf(encoded.charAt(index)) + 1);
    const spare = `${encoded.slice(0, 28)}${next(28)}${encoded.slice(29, 59)}${next(59)}`;
    expect(await verify(spare, 'password')).toBe(true);
    expect(await verify(spare, 'Password')).toBe(false);
  });
});
