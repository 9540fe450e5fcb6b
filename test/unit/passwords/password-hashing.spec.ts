import { describe, expect, it } from 'vitest';
import { HashingOverloaded } from '../../../src/domain/passwords/hashing/hashing-pool.js';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import { HashRejected } from '../../../src/domain/passwords/schemes/password-scheme.js';
import { TEST_BILL } from '../../support/hashing.js';

const settings = { memoryKib: 64, iterations: 2, parallelism: 1, slots: 2, queueLimit: 100, schemesOff: [] };
const hashing = new PasswordHashing(settings);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const SALT = 'cmFuZG9tc2FsdGlzaGFyZA';
const PBKDF2 = `$pbkdf2-sha256$12$${SALT}$OFvEcLOIPFd/oq8egf10i.qJLI7A8nDjPLnolCWarQY`;

describe('native hashes', () => {
  it('are Argon2id at the configured cost, salted each time, and verify', async () => {
    const [one, two] = await Promise.all([
      hashing.hash('Passw0rd!', TEST_BILL),
      hashing.hash('Passw0rd!', TEST_BILL),
    ]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=64,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    expect(await hashing.verify(one, 'Passw0rd!', TEST_BILL)).toEqual({
      matches: true,
      needsRehash: false,
      rehashWithheld: false,
    });
    expect(await hashing.verify(one, 'passw0rd!', TEST_BILL)).toEqual({
      matches: false,
      needsRehash: false,
      rehashWithheld: false,
    });
  });

  it('take the password as received', async () => {
    const encoded = await hashing.hash(' a\u0308\0 ', TEST_BILL);
    expect((await hashing.verify(encoded, ' a\u0308\0 ', TEST_BILL)).matches).toBe(true);
    for (const other of ['a\u0308\0', ' \u00e4\0 ', ' a\u0308']) {
      expect((await hashing.verify(encoded, other, TEST_BILL)).matches).toBe(false);
    }
  });

  it('know 1,024 characters and refuse one more before hashing', async () => {
    const longest = '😀'.repeat(1024);
    const encoded = await hashing.hash(longest, TEST_BILL);
    expect((await hashing.verify(encoded, longest, TEST_BILL)).matches).toBe(true);
    expect((await hashing.verify(encoded, '😀'.repeat(1023), TEST_BILL)).matches).toBe(false);
    const error = { kind: 'invalid-argument', text: 'Password is too long, at most 1024 characters' };
    await expect(hashing.hash(`${longest}a`, TEST_BILL)).rejects.toMatchObject(error);
    await expect(hashing.verify(encoded, 'a'.repeat(2_000_000), TEST_BILL)).rejects.toMatchObject(error);
  });

  it('refuse a cost that their own verification would refuse', () => {
    expect(() => new PasswordHashing({ ...settings, iterations: 11 })).toThrow(HashRejected);
    expect(() => new PasswordHashing({ ...settings, memoryKib: 8, parallelism: 2 })).toThrow(HashRejected);
  });
});

describe('a scheme that is switched off', () => {
  const without = new PasswordHashing({ ...settings, schemesOff: ['md5-plain', 'pbkdf2'] });

  it('comes in by no import, while what is stored goes on to verify', async () => {
    expect(() => without.requireImportable(PBKDF2)).toThrow(HashRejected);
    expect(() => without.requireImportable('5f4dcc3b5aa765d61d8327deb882cf99')).toThrow(/rule switched-off/);
    expect(() => without.requireImportable(`{SSHA}${'A'.repeat(40)}`)).not.toThrow();
    expect(() => hashing.requireImportable(PBKDF2)).not.toThrow();
    expect((await without.verify(PBKDF2, 'password', TEST_BILL)).matches).toBe(true);
  });

  it('must be one that there is, or the service does not start', () => {
    expect(() => new PasswordHashing({ ...settings, schemesOff: ['md5plain'] })).toThrow(/md5-plain/);
  });
});

describe('re-hashing', () => {
  it('is due after a match with another scheme, never after a mismatch', async () => {
    expect(await hashing.verify(PBKDF2, 'password', TEST_BILL)).toEqual({
      matches: true,
      needsRehash: true,
      rehashWithheld: false,
    });
    expect(await hashing.verify(PBKDF2, 'wrong', TEST_BILL)).toEqual({
      matches: false,
      needsRehash: false,
      rehashWithheld: false,
    });
  });

  it('is due for a native hash in the wrapping of another product', () => {
    const encoded = `$argon2id$v=19$m=64,t=2,p=1$${SALT}$${'A'.repeat(43)}`;
    expect(hashing.needsRehash(encoded)).toBe(false);
    expect(hashing.needsRehash(`argon2${encoded}`)).toBe(true);
    expect(hashing.needsRehash(`{ARGON2}${encoded}`)).toBe(true);
  });

  it.each([
    ['less memory', 'argon2id', 'm=63,t=2,p=1', true],
    ['fewer passes', 'argon2id', 'm=64,t=1,p=1', true],
    ['argon2i', 'argon2i', 'm=64,t=2,p=1', true],
    ['the same cost', 'argon2id', 'm=64,t=2,p=1', false],
    ['a higher cost', 'argon2id', 'm=128,t=3,p=2', false],
  ])('%s', (_name, variant, cost, due) => {
    expect(hashing.needsRehash(`$${variant}$v=19$${cost}$${SALT}$${'A'.repeat(43)}`)).toBe(due);
  });
});

describe('what costs time', () => {
  it('refuses a stored hash over the caps at once, without a slot (S050)', async () => {
    // nothing else may be asked of it while its one slot is taken: a refusal that needed one would say so
    const idle = new PasswordHashing({ ...settings, slots: 1, queueLimit: 0 });
    const busy = idle.hash('Passw0rd!', TEST_BILL);
    const planted = PBKDF2.replace('$12$', '$2000000000$');
    await expect(idle.verify(planted, 'password', TEST_BILL)).rejects.toMatchObject({
      rule: 'cost-too-high',
    });
    await busy;
  });

  it('is computed for an unknown user and never matches', async () => {
    const single = new PasswordHashing({ ...settings, slots: 1, queueLimit: 0 });
    const spent = single.spendSameTime('Passw0rd!', TEST_BILL);
    // The one slot is really taken: this is work, not a timer.
    await expect(single.spendSameTime('Passw0rd!', TEST_BILL)).rejects.toBeInstanceOf(HashingOverloaded);
    await expect(spent).resolves.toBeUndefined();
  });

  it('costs an unknown user what a wrong password costs', async () => {
    const real = new PasswordHashing({ ...settings, memoryKib: 19456 });
    const encoded = await real.hash('Passw0rd!', TEST_BILL);
    // In turns, and the quickest of each: what else runs on the machine does not count.
    let [known, unknown] = [Infinity, Infinity];
    for (let round = 0; round < 9; round += 1) {
      known = Math.min(known, await timed(() => real.verify(encoded, 'wrong', TEST_BILL)));
      unknown = Math.min(unknown, await timed(() => real.spendSameTime('wrong', TEST_BILL)));
    }
    expect(unknown / known).toBeGreaterThan(0.4);
    expect(unknown / known).toBeLessThan(2.5);
  });

  it('leaves the event loop alone', async () => {
    const real = new PasswordHashing({ ...settings, memoryKib: 19456 });
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    await Promise.all(Array.from({ length: 12 }, () => real.hash('Passw0rd!', TEST_BILL)));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });
});
