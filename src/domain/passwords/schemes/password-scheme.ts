import { ApiError } from '../../shared/errors.js';

/** What an encoded hash says about itself. */
export interface HashInspection {
  /** Scheme with its variant, such as `pbkdf2-sha256`; what is stored and counted in reports. */
  readonly scheme: string;
  /** Below the floor of its scheme: accepted, reported, gone at the first sign-in, which re-hashes it. */
  readonly weak: boolean;
  /** Cost for people, such as `600000 iterations`. */
  readonly cost: string;
}

/**
 * Where a hash is computed: `quick` on the threads of libuv, `slow` on threads of our own that stand back behind all
 * others, for what costs several times a native hash (`hashing-pool.ts`).
 */
export type HashingLane = 'quick' | 'slow';

/** An encoded hash that was read: well-formed, within the caps, nothing computed yet. */
export interface ReadHash extends HashInspection {
  /** What it costs to hold a password of so many bytes against it, in the milliseconds of `hashing-work.ts`. */
  work(passwordBytes: number): number;

  /**
   * Whether the password's bytes, exactly as received, give the stored hash. Compares in constant time and computes
   * away from the event loop. Call it inside the hashing pool, which says in which lane; a hash that holds another
   * one passes the lane on.
   */
  matches(password: Uint8Array, lane?: HashingLane): Promise<boolean>;

  /**
   * For a matching password: whether the hash distinguishes it from every other that a user may have set. False if the
   * scheme truncates, folds or ignores characters of this one, or may have truncated what follows. Such a password opens
   * the account, as it did at the old system, and never replaces the hash: the true one would be lost. Cheap to compute.
   */
  distinguishes(password: Uint8Array): boolean;
}

/** The rule that an encoded hash breaks; part of the error's text. */
export type HashRule =
  | 'unknown-scheme'
  | 'switched-off'
  | 'too-long'
  | 'wrong-part-count'
  | 'bad-version'
  | 'bad-cost'
  | 'cost-too-high'
  | 'mixed-alphabets'
  | 'bad-salt'
  | 'bad-hash'
  | 'bad-key'
  | 'bad-json'
  | 'bad-field';

/** Stable error ids of protocol §1.4: not supported, parameters out of bounds, unparsable. */
function errorId(rule: HashRule): string {
  if (rule === 'unknown-scheme' || rule === 'switched-off') return 'CRYPT-2xK7d';
  return rule === 'cost-too-high' ? 'CRYPT-5uV9n' : 'CRYPT-r8Qm2';
}

/** An encoded hash that is refused. Its text never holds a part of the hash, so it may be shown and logged. */
export class HashRejected extends ApiError {
  constructor(
    readonly rule: HashRule,
    explanation: string,
  ) {
    super('invalid-argument', `Password hash refused, rule ${rule}: ${explanation}`, errorId(rule));
    this.name = 'HashRejected';
  }
}

/** A family of encoded hashes. Adding one is a file that has this shape and a line in `password-schemes.ts`. */
export interface PasswordScheme {
  /** Name of the family, by which configuration switches it off. */
  readonly name: string;

  /** The forms it reads, for the error that lists what is allowed. */
  readonly forms: readonly string[];

  /** Whether the encoded text claims to be of this scheme; cheap, decides by its first characters. */
  recognises(encoded: string): boolean;

  /**
   * Strict parse and bounds check without any hashing; throws HashRejected. Verification passes it too, so that a
   * hash which came into the database by another way than import cannot burn the processor.
   */
  read(encoded: string): ReadHash;
}
