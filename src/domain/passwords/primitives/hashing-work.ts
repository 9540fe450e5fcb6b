/**
 * What a hash costs, from its parameters alone: milliseconds of one core, about as many as the machine takes on which
 * an argon2id hash of the default cost takes 16. Machines differ and the pool measures by how much; what must be
 * right are the proportions between schemes, because whoever waits is billed by them.
 */

const ARGON2_PER_KIB_AND_PASS = 16 / (19_456 * 2);
const BCRYPT_PER_ROUND = 0.065;
const SCRYPT_PER_BLOCK = 0.00045;
const PBKDF2_PER_ITERATION = {
  sha1: 0.00052,
  sha224: 0.00028,
  sha256: 0.00028,
  sha384: 0.00063,
  sha512: 0.00063,
} as const;
const DIGEST_PER_ROUND = 0.0025;
const DIGEST_PER_BYTE = 0.000_003;

export function argon2Work(memoryKib: number, iterations: number): number {
  return memoryKib * iterations * ARGON2_PER_KIB_AND_PASS;
}

export function bcryptWork(cost: number): number {
  return 2 ** cost * BCRYPT_PER_ROUND;
}

export function scryptWork(n: number, blockSize: number, lanes: number): number {
  return n * blockSize * lanes * SCRYPT_PER_BLOCK;
}

/** Each block of derived key costs all iterations again. */
export function pbkdf2Work(
  digest: keyof typeof PBKDF2_PER_ITERATION,
  iterations: number,
  blocks: number,
): number {
  return iterations * blocks * PBKDF2_PER_ITERATION[digest];
}

/** Loops of digests; a long password multiplies them. */
export function digestWork(rounds: number, bytesPerRound: number): number {
  return rounds * (DIGEST_PER_ROUND + bytesPerRound * DIGEST_PER_BYTE);
}
