import { randomBytes } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import { hash as argon2Hash } from '@node-rs/argon2';
import { requirePasswordLength } from '../password-policy.js';
import type { EncodedPassword } from '../passwords.store.js';
import { argon2Work } from '../primitives/hashing-work.js';
import { parseArgon2 } from '../schemes/argon2.js';
import { HashRejected, type HashInspection } from '../schemes/password-scheme.js';
import { inspectHash, readHash, schemeNames, schemeOf } from '../schemes/password-schemes.js';
import type { HashingBill } from './hashing-bill.js';
import { HashingMeter } from './hashing-meter.js';
import { HashingPool } from './hashing-pool.js';

/**
 * The passwords module: hashes new passwords with Argon2id (RFC 9106), verifies those and every imported scheme
 * of `schemes/`, and says when a stored hash is due for the native form. All hashing passes one bounded pool, and is
 * billed to somebody.
 * A password is the UTF-8 bytes that were received: no trimming, no normalisation, no truncation.
 */

/** Cost of native hashes and size of the pool; also the token under which configuration provides them. */
export abstract class PasswordHashingSettings {
  abstract readonly memoryKib: number;
  /** Passes over the memory. */
  abstract readonly iterations: number;
  abstract readonly parallelism: number;
  /** Hashings at the same time, in either lane of the pool. */
  abstract readonly slots: number;
  /** Hashings that may wait for a slot. */
  abstract readonly queueLimit: number;
  /** Families of hashes that no import may bring along, by their names. */
  abstract readonly schemesOff: readonly string[];
}

export interface PasswordVerification {
  readonly matches: boolean;
  /** The password matched and its stored hash is of another scheme or of a lower cost than new ones get. */
  readonly needsRehash: boolean;
  /** It would need one, but the hash opens for other passwords too, and which of them is the true one nobody knows. */
  readonly rehashWithheld: boolean;
}

const SALT_BYTES = 16;
const HASH_BYTES = 32;

@Injectable()
export class PasswordHashing {
  private readonly pool: HashingPool;
  private readonly nativeWork: number;
  private readonly nobodysHash: string;

  constructor(
    private readonly settings: PasswordHashingSettings,
    @Optional() meter?: HashingMeter,
  ) {
    const { slots, queueLimit, memoryKib, iterations } = settings;
    this.nativeWork = argon2Work(memoryKib, iterations);
    this.pool = new HashingPool({ slots, queueLimit, nativeWork: this.nativeWork }, meter);
    this.nobodysHash = randomNativeHash(settings);
    // A cost that verification refuses must stop the start, not the first sign-in.
    parseArgon2(this.nobodysHash);
    const unknown = settings.schemesOff.find((name) => !schemeNames.includes(name));
    if (unknown !== undefined) {
      throw new RangeError(`${unknown} is no scheme of hashes; there are ${schemeNames.join(', ')}`);
    }
  }

  /** Hashings that wait for a slot, for the metrics. */
  get waiting(): number {
    return this.pool.waiting;
  }

  /** Encoded Argon2id hash of a new password. Throws HashingOverloaded. */
  async hash(password: string, bill: HashingBill): Promise<string> {
    const bytes = passwordBytes(password);
    const { memoryKib, iterations, parallelism } = this.settings;
    const options = { memoryCost: memoryKib, timeCost: iterations, parallelism, outputLen: HASH_BYTES };
    return this.pool.run(bill, this.nativeWork, () => argon2Hash(bytes, options));
  }

  /** The same with what is kept beside it. Throws HashingOverloaded. */
  async encode(password: string, bill: HashingBill): Promise<EncodedPassword> {
    const hash = await this.hash(password, bill);
    const { scheme, weak } = this.inspect(hash);
    return { hash, scheme, weak };
  }

  /** Other work about a password that takes as long: it waits in the same line. Throws HashingOverloaded. */
  async inTurn<Result>(bill: HashingBill, work: () => Promise<Result>): Promise<Result> {
    return await this.pool.run(bill, this.nativeWork, work);
  }

  /**
   * The one place that decides about a re-hash. Throws HashRejected for a stored hash that must not be computed, and
   * HashingOverloaded.
   */
  async verify(encoded: string, password: string, bill: HashingBill): Promise<PasswordVerification> {
    // Before the queue: a hash over the caps takes no slot.
    const stored = readHash(encoded);
    const bytes = passwordBytes(password);
    const matches = await this.pool.run(bill, stored.work(bytes.length), (lane) =>
      stored.matches(bytes, lane),
    );
    const due = matches && this.needsRehash(encoded);
    const needsRehash = due && stored.distinguishes(bytes);
    return { matches, needsRehash, rehashWithheld: due && !needsRehash };
  }

  /** Costs what a wrong password of a native hash costs, so that an unknown user looks like a known one. */
  async spendSameTime(password: string, bill: HashingBill): Promise<void> {
    await this.verify(this.nobodysHash, password, bill);
  }

  /** Checks an encoded hash without hashing; throws HashRejected. */
  inspect(encoded: string): HashInspection {
    return inspectHash(encoded);
  }

  /**
   * Throws HashRejected for a hash of a family that the configuration has switched off. New ones are refused;
   * stored ones still verify, or users would lose their passwords, and are replaced at their first sign-in.
   */
  requireImportable(encoded: string): void {
    const { name } = schemeOf(encoded);
    if (this.settings.schemesOff.includes(name)) {
      throw new HashRejected('switched-off', `this service takes no hashes of ${name}`);
    }
  }

  /** True for every other scheme and for Argon2id below the configured cost; a higher cost is kept. */
  needsRehash(encoded: string): boolean {
    try {
      const stored = parseArgon2(encoded);
      return (
        stored.variant !== 'argon2id' ||
        stored.memoryKib < this.settings.memoryKib ||
        stored.iterations < this.settings.iterations ||
        stored.parallelism < this.settings.parallelism ||
        stored.saltBytes < SALT_BYTES ||
        stored.hashBytes < HASH_BYTES
      );
    } catch (error) {
      if (error instanceof HashRejected) return true;
      throw error;
    }
  }
}

function passwordBytes(password: string): Buffer {
  requirePasswordLength(password);
  return Buffer.from(password, 'utf8');
}

/** A well-formed native hash of no known password: random bytes take the place of salt and result. */
function randomNativeHash(settings: PasswordHashingSettings): string {
  const { memoryKib, iterations, parallelism } = settings;
  const [salt, hash] = [SALT_BYTES, HASH_BYTES].map((bytes) =>
    randomBytes(bytes).toString('base64').replace(/=+$/, ''),
  );
  return `$argon2id$v=19$m=${memoryKib},t=${iterations},p=${parallelism}$${salt}$${hash}`;
}
