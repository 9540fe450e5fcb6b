import { describe, expect, it } from 'vitest';
import {
  readTotpSeed,
  totpAddress,
  totpStepOf,
  usualSeed,
  writeTotpSeed,
  type TotpSeed,
} from '../../../src/domain/factors/totp/totp-seed.js';

const ascii = '1234567890';
const key = (bytes: number) => Buffer.from(ascii.repeat(7).slice(0, bytes));
const seed = (algorithm: TotpSeed['algorithm'], bytes: number): TotpSeed => ({
  secret: key(bytes),
  algorithm,
  digits: 8,
  periodSeconds: 30,
});

describe('codes', () => {
  // RFC 6238, appendix B
  it.each([
    [59, '94287082', '46119246', '90693936'],
    [1_111_111_109, '07081804', '68084774', '25091201'],
    [1_111_111_111, '14050471', '67062674', '99943326'],
    [1_234_567_890, '89005924', '91819424', '93441116'],
    [2_000_000_000, '69279037', '90698825', '38618901'],
  ])('of the RFC at %i are right', (at, sha1, sha256, sha512) => {
    const step = Math.floor(at / 30);
    expect(totpStepOf(seed('SHA1', 20), sha1, at)).toBe(step);
    expect(totpStepOf(seed('SHA256', 32), sha256, at)).toBe(step);
    expect(totpStepOf(seed('SHA512', 64), sha512, at)).toBe(step);
    expect(totpStepOf(seed('SHA1', 20), sha256, at)).toBeUndefined();
  });

  it('are known one step off, and told as of their own step', () => {
    const own = seed('SHA1', 20);
    expect(totpStepOf(own, '94287082', 59 + 30)).toBe(1);
    expect(totpStepOf(own, '94287082', 59 - 30)).toBe(1);
    expect(totpStepOf(own, '94287082', 59 + 60)).toBeUndefined();
  });

  it.each(['9428 7082', ' 9428-7082 ', '９４２８７０８２'])('are read as typed: %j', (typed) => {
    expect(totpStepOf(seed('SHA1', 20), typed, 59)).toBe(1);
  });

  it.each(['', '287082', '942870820', 'abcdefgh', '-1', '9'.repeat(10_000)])('are none: %j', (typed) => {
    expect(totpStepOf(seed('SHA1', 20), typed, 59)).toBeUndefined();
  });
});

describe('a seed', () => {
  it.each([
    usualSeed(key(20)),
    seed('SHA256', 32),
    { secret: key(64), algorithm: 'SHA512', digits: 6, periodSeconds: 60 } as const,
  ])('is read as it was written: %#', (one) => {
    expect(readTotpSeed(writeTotpSeed(one))).toEqual(one);
  });

  it('is base32 alone where it is of the usual kind', () => {
    expect(writeTotpSeed(usualSeed(key(20)))).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  });

  it.each([
    ['too short', 'GEZDGNBV'],
    ['no base32', '0189'],
    ['counted', 'otpauth://hotp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&counter=1'],
    ['of seven digits', 'otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=7'],
    ['of MD5', 'otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=MD5'],
    ['of an hour', 'otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&period=3600'],
    ['without a secret', 'otpauth://totp/x'],
    ['long', 'A'.repeat(600)],
  ])('is none when it is %s', (_, text) => {
    expect(readTotpSeed(text)).toBeUndefined();
  });

  it('has an address for a QR code, with names that no app splits', () => {
    const address = totpAddress(usualSeed(key(20)), 'Acme: Zürich', 'ada@acme.test');
    expect(address).toMatch(/^otpauth:\/\/totp\/Acme%20%20Z%C3%BCrich:ada%40acme.test\?/);
    expect(readTotpSeed(address)).toEqual(usualSeed(key(20)));
  });
});
