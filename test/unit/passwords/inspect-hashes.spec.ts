import { describe, expect, it } from 'vitest';
import { HashRejected, type HashRule } from '../../../src/domain/passwords/schemes/password-scheme.js';
import { inspectHash, readHash } from '../../../src/domain/passwords/schemes/password-schemes.js';

const SALT = 'cmFuZG9tc2FsdGlzaGFyZA';
const HASH = 'OFvEcLOIPFd/oq8egf10i.qJLI7A8nDjPLnolCWarQY';
const BCRYPT = 'bIRGj4QPPoSUMWsJE.4Pk.T1qTpDWz7HhMnuiQhGzGinKPsx/HQdq';

const b64 = (bytes: number): string => Buffer.alloc(bytes, 0x5a).toString('base64').replace(/=+$/, '');
const pbkdf2 = (rounds: string, salt = SALT, hash = HASH): string =>
  `$pbkdf2-sha256$${rounds}$${salt}$${hash}`;
const argon2 = (cost: string, salt = SALT, hash = b64(32)): string =>
  `$argon2id$v=19$${cost}$${salt}$${hash}`;

function refusal(encoded: string): HashRejected {
  try {
    inspectHash(encoded);
  } catch (error) {
    if (error instanceof HashRejected) return error;
    throw error;
  }
  throw new Error('the hash was accepted');
}

const refused: [name: string, encoded: string, rule: HashRule][] = [
  ['nothing', '', 'unknown-scheme'],
  ['missing first $', 'pbkdf2-sha256$12$c2FsdA$aGFzaA', 'unknown-scheme'],
  ['argon2d', `$argon2d$v=19$m=19456,t=2,p=1$${SALT}$${b64(32)}`, 'unknown-scheme'],
  ['plain', '{plain}password', 'unknown-scheme'],
  ['plain with $', '$plain$password', 'unknown-scheme'],
  ['nonsense', '$$$$', 'unknown-scheme'],
  ['scheme in capitals', `$PBKDF2-SHA256$12000$${SALT}$${HASH}`, 'unknown-scheme'],
  ['unknown digest', `$pbkdf2-md5$12000$${SALT}$${HASH}`, 'unknown-scheme'],
  ['name of an object property', `$constructor$12000$${SALT}$${HASH}`, 'unknown-scheme'],
  ['unknown bcrypt label', `$2c$12$${BCRYPT}`, 'unknown-scheme'],
  ['60 kB', `$pbkdf2-sha256$12000$${'A'.repeat(60_000)}$${HASH}`, 'too-long'],
  ['scheme only', '$pbkdf2-sha256', 'wrong-part-count'],
  ['4 parts', `$pbkdf2-sha256$12000$${SALT}`, 'wrong-part-count'],
  ['6 parts', `${pbkdf2('12000')}$more`, 'wrong-part-count'],
  ['trailing $', `${pbkdf2('12000')}$`, 'wrong-part-count'],
  ['empty salt', pbkdf2('12000', ''), 'bad-salt'],
  ['empty hash', pbkdf2('12000', SALT, ''), 'bad-hash'],
  ['salt not base64', pbkdf2('12000', 'sal!t'), 'bad-salt'],
  ['hash not base64', pbkdf2('12000', SALT, `${HASH.slice(0, -1)}*`), 'bad-hash'],
  ['line break after the hash', `${pbkdf2('12000')}\n`, 'bad-hash'],
  ['base64url', pbkdf2('12000', SALT, HASH.replace('/', '_')), 'bad-hash'],
  ['base64url mixed with base64', pbkdf2('12000', SALT, HASH.replace('.', '-')), 'bad-hash'],
  ['alphabets mixed in the hash', pbkdf2('12000', SALT, `+${HASH.slice(1)}`), 'mixed-alphabets'],
  ['alphabets mixed between salt and hash', pbkdf2('12000', '++++'), 'mixed-alphabets'],
  ['short padding', pbkdf2('12000', `${SALT}=`), 'bad-salt'],
  ['long padding', pbkdf2('12000', SALT, `${HASH}==`), 'bad-hash'],
  ['padding inside', pbkdf2('12000', 'cm==c2FsdHk'), 'bad-salt'],
  ['leftover bits', pbkdf2('12000', SALT, `${HASH.slice(0, -1)}Z`), 'bad-hash'],
  ['impossible length', pbkdf2('12000', 'AAAAA'), 'bad-salt'],
  ['hash under 16 bytes', pbkdf2('12000', SALT, b64(15)), 'bad-hash'],
  ['hash over 512 bytes', pbkdf2('12000', SALT, b64(513)), 'bad-hash'],
  ['salt over 1,024 bytes', pbkdf2('12000', b64(1025)), 'bad-salt'],
  ...['0', '-1', '+1', '1e9', '07', '1.5', '0x10', ' 12', '12 ', '٣٠٠', 'NaN', 'Infinity', ''].map(
    (rounds): [string, string, HashRule] => [`iterations "${rounds}"`, pbkdf2(rounds), 'bad-cost'],
  ),
  ['pbkdf2 over the cap', pbkdf2('2000001'), 'cost-too-high'],
  ['pbkdf2 far over the cap', pbkdf2('2000000000'), 'cost-too-high'],
  ['pbkdf2 with endless digits', pbkdf2('9'.repeat(400)), 'cost-too-high'],
  ['pbkdf2 over the cap by its blocks', pbkdf2('2000000', SALT, b64(129)), 'cost-too-high'],
  ['bcrypt cost 16', `$2b$16$${BCRYPT}`, 'cost-too-high'],
  ['bcrypt cost 31', `$2b$31$${BCRYPT}`, 'cost-too-high'],
  ['bcrypt cost 03', `$2b$03$${BCRYPT}`, 'bad-cost'],
  ['bcrypt cost of one digit', `$2b$4$${BCRYPT}`, 'bad-hash'],
  ['bcrypt cost +9', `$2b$+9$${BCRYPT}`, 'bad-hash'],
  ['bcrypt too short', `$2b$12$${BCRYPT.slice(1)}`, 'bad-hash'],
  ['bcrypt too long', `$2b$12$${BCRYPT}a`, 'bad-hash'],
  ['bcrypt with +', `$2b$12$${BCRYPT.replace('.', '+')}`, 'bad-hash'],
  ['bcrypt label, pbkdf2 body', `$2b$12000$${SALT}$${HASH}`, 'bad-hash'],
  ['pbkdf2 label, argon2 body', `$pbkdf2-sha256$v=19$m=4096,t=3,p=1$${SALT}$${HASH}`, 'wrong-part-count'],
  ['argon2 over 256 MiB', argon2('m=262145,t=1,p=1'), 'cost-too-high'],
  ['argon2 over 10 passes', argon2('m=19456,t=11,p=1'), 'cost-too-high'],
  ['argon2 over 8 lanes', argon2('m=19456,t=2,p=9'), 'cost-too-high'],
  ['argon2 under 8 KiB a lane', argon2('m=15,t=2,p=2'), 'bad-cost'],
  ['argon2 with t=0', argon2('m=19456,t=0,p=1'), 'bad-cost'],
  ['argon2 in another order', argon2('t=2,m=19456,p=1'), 'bad-cost'],
  ['argon2 with a key id', argon2('m=19456,t=2,p=1,keyid=AAAA'), 'bad-cost'],
  ['argon2 version 16', argon2('m=19456,t=2,p=1').replace('v=19', 'v=16'), 'bad-version'],
  ['argon2 without version', `$argon2id$m=19456,t=2,p=1$${SALT}$${b64(32)}`, 'wrong-part-count'],
  ['argon2 with padding', argon2('m=19456,t=2,p=1', `${SALT}==`), 'bad-salt'],
  ['argon2 salt of 7 bytes', argon2('m=19456,t=2,p=1', b64(7)), 'bad-salt'],
  ['argon2 hash of 15 bytes', argon2('m=19456,t=2,p=1', SALT, b64(15)), 'bad-hash'],
  ['argon2 in adapted base64', argon2('m=19456,t=2,p=1', SALT, `.${b64(32).slice(1)}`), 'bad-hash'],
];

describe('an encoded hash that is refused (security S147–S149)', () => {
  it.each(refused)('%s', (_name, encoded, rule) => {
    const error = refusal(encoded);
    expect(error.rule).toBe(rule);
    expect(error.kind).toBe('invalid-argument');
    expect(error.text).toContain(rule);
  });

  it.each(refused)(
    '%s: is refused by verification too, without being computed',
    async (_name, encoded, rule) => {
      const verified = (async () => readHash(encoded).matches(Buffer.from('password')))();
      await expect(verified).rejects.toMatchObject({ rule });
    },
  );

  it('has one of three stable ids', () => {
    expect(refusal('$plain$x').id).toBe('CRYPT-2xK7d');
    expect(refusal(pbkdf2('2000001')).id).toBe('CRYPT-5uV9n');
    expect(refusal(pbkdf2('07')).id).toBe('CRYPT-r8Qm2');
  });

  it('lists what is allowed when the scheme is unknown', () => {
    const { text } = refusal('$argon2d$v=19$m=4096,t=3,p=1$AAAA$AAAA');
    for (const name of [
      'argon2i',
      'argon2id',
      'bcrypt',
      'pbkdf2',
      'pbkdf2-sha1',
      'pbkdf2-sha224',
      'pbkdf2-sha512',
    ]) {
      expect(text).toContain(name);
    }
  });

  it('never shows a part of the hash', () => {
    for (const [, encoded] of refused) {
      const { message } = refusal(encoded);
      expect(message).not.toContain(SALT);
      expect(message).not.toContain(HASH.slice(0, 10));
      expect(message.length).toBeLessThan(600);
    }
  });
});

describe('an encoded hash that is accepted', () => {
  it.each([
    ['pbkdf2 at the cap', pbkdf2('2000000'), 'pbkdf2-sha256', false],
    ['pbkdf2 at the cap with four blocks', pbkdf2('2000000', SALT, b64(128)), 'pbkdf2-sha256', false],
    ['pbkdf2 as exporters write it', pbkdf2('27500'), 'pbkdf2-sha256', false],
    ['pbkdf2 without digest', `$pbkdf2$100000$${SALT}$${b64(20)}`, 'pbkdf2-sha1', false],
    ['pbkdf2 under the floor', pbkdf2('1000'), 'pbkdf2-sha256', true],
    ['pbkdf2 of 12 rounds', pbkdf2('12'), 'pbkdf2-sha256', true],
    ['pbkdf2 with a short salt', pbkdf2('100000', b64(7)), 'pbkdf2-sha256', true],
    ['bcrypt 12', `$2a$12$${BCRYPT}`, 'bcrypt', false],
    ['bcrypt at the cap', `$2y$15$${BCRYPT}`, 'bcrypt', false],
    ['bcrypt under the floor', `$2b$09$${BCRYPT}`, 'bcrypt', true],
    ['bcrypt 2x', `$2x$12$${BCRYPT}`, 'bcrypt', true],
    ['argon2id at our default', argon2('m=19456,t=2,p=1'), 'argon2id', false],
    ['argon2id at the cap', argon2('m=262144,t=10,p=8'), 'argon2id', false],
    ['argon2i', argon2('m=65536,t=3,p=4').replace('argon2id', 'argon2i'), 'argon2i', false],
    ['argon2id under the floor', argon2('m=4096,t=3,p=1'), 'argon2id', true],
    ['argon2id with much memory and one pass too few', argon2('m=19456,t=1,p=1'), 'argon2id', true],
  ])('%s', (_name, encoded, scheme, weak) => {
    expect(inspectHash(encoded)).toMatchObject({ scheme, weak });
  });
});
