import { beforeEach, describe, expect, it } from 'vitest';
import {
  BruteForceMeter,
  type SignInRefusal,
} from '../../../src/domain/passwords/attempts/brute-force-meter.js';
import { BruteForceProtection } from '../../../src/domain/passwords/attempts/brute-force-protection.js';
import { CheckPassword } from '../../../src/domain/passwords/check-password.js';
import type { HashingBill } from '../../../src/domain/passwords/hashing/hashing-bill.js';
import { HashingOverloaded } from '../../../src/domain/passwords/hashing/hashing-pool.js';
import {
  PasswordHashing,
  type PasswordVerification,
} from '../../../src/domain/passwords/hashing/password-hashing.js';
import {
  PasswordsStore,
  type CountedAttempt,
  type EncodedPassword,
  type NewPassword,
  type StoredPassword,
} from '../../../src/domain/passwords/passwords.store.js';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { Log, type LogFields } from '../../../src/domain/shared/log.js';
import type { Tx } from '../../../src/domain/shared/unit-of-work.js';
import { TEST_BILL } from '../../support/hashing.js';

const neverCounted = (): Promise<never> => Promise.reject(new Error('no name of elsewhere is tried here'));

/** Counts attempts as the real one does, without its clock: `blocked` decides whether the user has to wait. */
class FakePasswords extends PasswordsStore {
  readonly rows = new Map<UserId, StoredPassword>();
  replacing: () => Promise<void> = () => Promise.resolve();
  attempts = 0;
  forgiven = 0;
  blocked = false;
  undecided = false;
  readonly locks: number[] = [];

  override findByUser(userId: UserId): Promise<StoredPassword | undefined> {
    return Promise.resolve(this.rows.get(userId));
  }

  override findAttemptPolicy(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  override async replaceIfUnchanged(
    userId: UserId,
    previous: string,
    next: EncodedPassword,
  ): Promise<boolean> {
    await this.replacing();
    const row = this.rows.get(userId);
    if (row?.hash !== previous) return false;
    this.rows.set(userId, { ...row, hash: next.hash });
    return true;
  }

  override withholdRehash(userId: UserId, hash: string): Promise<boolean> {
    const row = this.rows.get(userId);
    if (row?.hash !== hash || row.rehashWithheld === true) return Promise.resolve(false);
    this.rows.set(userId, { ...row, rehashWithheld: true });
    return Promise.resolve(true);
  }

  override replaceSetAt(): Promise<boolean> {
    return Promise.reject(new Error('nothing here changes a password'));
  }

  override set(_tx: Tx, { userId, hash, changeRequired }: NewPassword): Promise<void> {
    this.rows.set(userId, { hash, changeRequired, setAt: 'then' });
    return Promise.resolve();
  }

  get failures(): number {
    return this.attempts - this.forgiven;
  }

  override takeAttempt(): Promise<CountedAttempt | undefined> {
    if (this.blocked) return Promise.resolve(undefined);
    this.attempts += 1;
    return Promise.resolve({ number: this.attempts, failures: this.failures });
  }

  override mustWait(): Promise<boolean> {
    return Promise.resolve(!this.undecided);
  }

  override forgiveAttempts(_userId: UserId, { number }: CountedAttempt): Promise<void> {
    this.forgiven = Math.max(this.forgiven, number);
    return Promise.resolve();
  }

  override failAttempt(_userId: UserId, { failures }: CountedAttempt, locks: boolean): Promise<void> {
    if (locks) this.locks.push(failures);
    return Promise.resolve();
  }

  override giveBackAttempt(): Promise<void> {
    this.forgiven += 1;
    return Promise.resolve();
  }

  override clearAttempts(): Promise<boolean> {
    this.forgiven = this.attempts;
    return Promise.resolve(true);
  }

  override takeNameAttempt = neverCounted;
  override giveBackNameAttempt = neverCounted;
  override forgetNameAttempts = neverCounted;
}

class FakeMeter extends BruteForceMeter {
  locks = 0;
  override refused(_reason: SignInRefusal): void {}
  override locked(): void {
    this.locks += 1;
  }
  override alarmed(): void {}
}

class RecordingLog extends Log {
  readonly lines: { level: string; message: string; fields: LogFields | undefined; error?: unknown }[] = [];
  override debug(): void {}
  override info(message: string, fields?: LogFields): void {
    this.lines.push({ level: 'info', message, fields });
  }
  override warn(message: string, fields?: LogFields): void {
    this.lines.push({ level: 'warn', message, fields });
  }
  override error(message: string, error: unknown, fields?: LogFields): void {
    this.lines.push({ level: 'error', message, fields, error });
  }
}

class CountingHashing extends PasswordHashing {
  spent = 0;
  /** Native and foreign ones, the spent ones included. */
  verified = 0;
  override async verify(encoded: string, password: string, bill: HashingBill): Promise<PasswordVerification> {
    const verification = super.verify(encoded, password, bill);
    this.verified += 1;
    return await verification;
  }
  override async spendSameTime(password: string, bill: HashingBill): Promise<void> {
    this.spent += 1;
    await super.spendSameTime(password, bill);
  }
}

const settings = { memoryKib: 64, iterations: 1, parallelism: 1, slots: 2, queueLimit: 100, schemesOff: [] };
const PBKDF2 = '$pbkdf2-sha256$12$cmFuZG9tc2FsdGlzaGFyZA$OFvEcLOIPFd/oq8egf10i.qJLI7A8nDjPLnolCWarQY';
const user = '1001' as UserId;

let passwords: FakePasswords;
let meter: FakeMeter;
let limit: BruteForceProtection;
let log: RecordingLog;
let hashing: CountingHashing;
let checkPassword: CheckPassword;

beforeEach(() => {
  passwords = new FakePasswords();
  meter = new FakeMeter();
  log = new RecordingLog();
  limit = new BruteForceProtection(passwords, meter, log);
  hashing = new CountingHashing(settings);
  checkPassword = new CheckPassword(passwords, limit, hashing, log);
});

describe('check password', () => {
  it('tells a match, a mismatch and whether a change is required', async () => {
    passwords.rows.set(user, {
      hash: await hashing.hash('Passw0rd!', TEST_BILL),
      changeRequired: true,
      setAt: 'then',
    });
    expect(await checkPassword.check(user, 'Passw0rd!', TEST_BILL)).toEqual({
      matches: true,
      changeRequired: true,
      setAt: 'then',
      blocked: false,
    });
    expect(await checkPassword.check(user, 'wrong', TEST_BILL)).toEqual({
      matches: false,
      changeRequired: false,
      blocked: false,
    });
    expect(log.lines).toEqual([]);
  });

  it('hashes for an unknown user and for one without a password', async () => {
    expect((await checkPassword.check(undefined, 'Passw0rd!', TEST_BILL)).matches).toBe(false);
    expect((await checkPassword.check(user, 'Passw0rd!', TEST_BILL)).matches).toBe(false);
    expect(hashing.spent).toBe(2);
  });

  it('takes an overlong password for wrong, whoever the user is', async () => {
    passwords.rows.set(user, { hash: PBKDF2, changeRequired: false, setAt: 'then' });
    for (const who of [user, undefined]) {
      expect((await checkPassword.check(who, 'a'.repeat(1025), TEST_BILL)).matches).toBe(false);
    }
    expect(hashing.spent).toBe(0);
  });

  it('raises the alarm for a planted hash, and answers as if the password were wrong (S050)', async () => {
    passwords.rows.set(user, {
      hash: PBKDF2.replace('$12$', '$2000000000$'),
      changeRequired: false,
      setAt: 'then',
    });
    expect((await checkPassword.check(user, 'password', TEST_BILL)).matches).toBe(false);
    expect(hashing.spent).toBe(1);
    expect(log.lines).toMatchObject([{ level: 'error', fields: { userId: user, rule: 'cost-too-high' } }]);
    expect(JSON.stringify(log.lines)).not.toContain('2000000000');
  });

  it('lets an overload through', async () => {
    const full = new PasswordHashing({ ...settings, memoryKib: 19456, slots: 1, queueLimit: 0 });
    const check = new CheckPassword(passwords, limit, full, log);
    const first = check.check(undefined, 'a', TEST_BILL);
    await expect(check.check(undefined, 'b', TEST_BILL)).rejects.toBeInstanceOf(HashingOverloaded);
    await first;
  });
});

describe('what is counted', () => {
  beforeEach(async () => {
    passwords.rows.set(user, {
      hash: await hashing.hash('Passw0rd!', TEST_BILL),
      changeRequired: false,
      setAt: 'then',
    });
  });

  it('each wrong password once, and none after a right one', async () => {
    await checkPassword.check(user, 'wrong', TEST_BILL);
    await checkPassword.check(user, 'wrong', TEST_BILL);
    expect(passwords.failures).toBe(2);
    await checkPassword.check(user, 'Passw0rd!', TEST_BILL);
    expect(passwords.failures).toBe(0);
  });

  it('nothing where there is nothing to guess', async () => {
    await checkPassword.check(undefined, 'wrong', TEST_BILL);
    await checkPassword.check('1002' as UserId, 'wrong', TEST_BILL);
    await checkPassword.check(user, 'a'.repeat(1025), TEST_BILL);
    expect(passwords.attempts).toBe(0);
  });

  it('not an attempt that found no room, nor a planted hash for free', async () => {
    const full = new PasswordHashing({ ...settings, memoryKib: 19456, slots: 1, queueLimit: 0 });
    const busy = full.hash('x', TEST_BILL);
    const check = new CheckPassword(passwords, limit, full, log);
    await expect(check.check(user, 'Passw0rd!', TEST_BILL)).rejects.toBeInstanceOf(HashingOverloaded);
    expect(passwords.failures).toBe(0);
    await busy;
    passwords.rows.set(user, {
      hash: PBKDF2.replace('$12$', '$2000000000$'),
      changeRequired: false,
      setAt: 'then',
    });
    await checkPassword.check(user, 'password', TEST_BILL);
    expect(passwords.failures).toBe(1);
  });

  it('before the password is looked at', async () => {
    const order: string[] = [];
    passwords.takeAttempt = async () => {
      order.push('counted');
      return await Promise.resolve({ number: 1, failures: 1 });
    };
    hashing.verify = async () => {
      order.push('verified');
      return await Promise.resolve({ matches: false, needsRehash: false, rehashWithheld: false });
    };
    await checkPassword.check(user, 'wrong', TEST_BILL);
    expect(order).toEqual(['counted', 'verified']);
  });
});

describe('a user who has to wait', () => {
  beforeEach(async () => {
    passwords.rows.set(user, {
      hash: await hashing.hash('Passw0rd!', TEST_BILL),
      changeRequired: true,
      setAt: 'then',
    });
    passwords.blocked = true;
  });

  it('is refused with the right password too, at the cost of one verification and without a count (S045)', async () => {
    expect(await checkPassword.check(user, 'Passw0rd!', TEST_BILL)).toEqual({
      matches: false,
      changeRequired: false,
      blocked: true,
    });
    expect(hashing.spent).toBe(1);
    expect(hashing.verified).toBe(1);
    expect(passwords.failures).toBe(0);
  });

  it('only for verdicts that are still to come, waits for them', async () => {
    passwords.undecided = true;
    const waiting = checkPassword.check(user, 'Passw0rd!', TEST_BILL);
    passwords.blocked = false;
    expect((await waiting).matches).toBe(true);
    expect(hashing.spent).toBe(0);
  });

  it('whom wrong passwords have locked is told of once a lock', async () => {
    passwords.blocked = false;
    for (let failure = 1; failure <= 11; failure += 1) await checkPassword.check(user, 'wrong', TEST_BILL);
    expect(passwords.locks).toEqual([10, 11]);
    expect(meter.locks).toBe(2);
    await checkPassword.check(user, 'Passw0rd!', TEST_BILL);
    expect(passwords.locks).toHaveLength(2);
    expect(log.lines).toMatchObject([
      { level: 'warn', fields: { userId: user, failures: 10 } },
      { level: 'warn', fields: { userId: user, failures: 11 } },
    ]);
  });
});

describe('re-hash at sign-in', () => {
  beforeEach(() => passwords.rows.set(user, { hash: PBKDF2, changeRequired: false, setAt: 'then' }));

  it('replaces a foreign hash once, so that the next sign-in is native', async () => {
    expect((await checkPassword.check(user, 'password', TEST_BILL)).matches).toBe(true);
    await checkPassword.settled();
    const hash = passwords.rows.get(user)?.hash ?? '';
    expect(hash).toMatch(/^\$argon2id\$/);
    expect((await checkPassword.check(user, 'password', TEST_BILL)).matches).toBe(true);
    await checkPassword.settled();
    expect(passwords.rows.get(user)?.hash).toBe(hash);
  });

  it('does not happen after a wrong password', async () => {
    await checkPassword.check(user, 'wrong', TEST_BILL);
    await checkPassword.settled();
    expect(passwords.rows.get(user)?.hash).toBe(PBKDF2);
  });

  it('keeps the password that an administrator set meanwhile (S157)', async () => {
    const administrators = await hashing.hash('Set by admin 1!', TEST_BILL);
    passwords.replacing = async () => {
      passwords.rows.set(user, { hash: administrators, changeRequired: true, setAt: 'then' });
    };
    const checks = await Promise.all([
      checkPassword.check(user, 'password', TEST_BILL),
      checkPassword.check(user, 'password', TEST_BILL),
    ]);
    expect(checks.map((check) => check.matches)).toEqual([true, true]);
    await checkPassword.settled();
    expect(passwords.rows.get(user)).toEqual({ hash: administrators, changeRequired: true, setAt: 'then' });
  });

  it('neither delays nor fails the sign-in when the store hangs or fails', async () => {
    let fail: ((error: Error) => void) | undefined;
    passwords.replacing = () => new Promise((_resolve, reject) => (fail = reject));
    expect((await checkPassword.check(user, 'password', TEST_BILL)).matches).toBe(true);
    await expect.poll(() => fail).toBeDefined();
    fail?.(new Error('database away'));
    await checkPassword.settled();
    expect(log.lines).toMatchObject([{ level: 'error', fields: { userId: user } }]);
    expect(passwords.rows.get(user)?.hash).toBe(PBKDF2);
  });
});
