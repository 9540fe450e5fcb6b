import { verify } from '@node-rs/argon2';
import { slowThreads } from '../primitives/digest-threads.js';
import { argon2Work } from '../primitives/hashing-work.js';
import { tellsAllApart } from '../primitives/told-apart.js';
import { HashRejected, type PasswordScheme, type ReadHash } from './password-scheme.js';
import { strictBase64Length } from './strict-base64.js';

/**
 * Argon2 (RFC 9106) as `$argon2id$v=19$m=<KiB>,t=<passes>,p=<lanes>$<salt>$<hash>`, base64 without padding.
 * Argon2d is refused: its memory access depends on the password.
 */
interface Argon2Hash extends Argon2Cost {
  readonly variant: string;
  readonly saltBytes: number;
  readonly hashBytes: number;
}

interface Argon2Cost {
  readonly memoryKib: number;
  /** Passes over the memory, `t`. */
  readonly iterations: number;
  /** Lanes, `p`. */
  readonly parallelism: number;
}

const HIGHEST: Argon2Cost = { memoryKib: 256 * 1024, iterations: 10, parallelism: 8 };

/** The least settings that OWASP's password storage cheat sheet lists: 46 MiB × 1 pass down to 7 MiB × 5. */
const LEAST_STRONG_MEMORY_KIB = 7 * 1024;
const LEAST_STRONG_WORK_KIB = 5 * 7 * 1024;

const VARIANTS = new Set(['argon2i', 'argon2id']);
const COST = /^m=([1-9][0-9]*),t=([1-9][0-9]*),p=([1-9][0-9]*)$/;

/** RFC 9106 §3.1 has 8 bytes as the least salt; what is longer than these, no library writes. */
const SALT_BYTES = { least: 8, most: 64 };
const HASH_BYTES = { least: 16, most: 128 };

/** Strict parse and bounds check; throws HashRejected. */
export function parseArgon2(encoded: string): Argon2Hash {
  const parts = encoded.split('$');
  const [before, variant = '', version, costText = '', saltText = '', hashText = ''] = parts;
  if (before !== '' || !VARIANTS.has(variant))
    throw new HashRejected('unknown-scheme', 'this is no Argon2i or Argon2id hash');
  if (parts.length !== 6) {
    throw new HashRejected('wrong-part-count', `wanted $${variant}$v=19$m=,t=,p=$<salt>$<hash>`);
  }
  if (version !== 'v=19') throw new HashRejected('bad-version', 'only version 19 is known');
  const match = COST.exec(costText);
  if (match === null) throw new HashRejected('bad-cost', 'wanted m=<KiB>,t=<passes>,p=<lanes>');
  const cost = { memoryKib: Number(match[1]), iterations: Number(match[2]), parallelism: Number(match[3]) };
  if (isAboveCap(cost)) {
    const { memoryKib, iterations, parallelism } = HIGHEST;
    throw new HashRejected('cost-too-high', `at most m=${memoryKib}, t=${iterations}, p=${parallelism}`);
  }
  // RFC 9106 §3.1: the memory holds eight blocks per lane at least.
  if (cost.memoryKib < 8 * cost.parallelism)
    throw new HashRejected('bad-cost', 'm must be 8 times p at least');
  const saltBytes = decodedLength(saltText);
  if (saltBytes < SALT_BYTES.least || saltBytes > SALT_BYTES.most) {
    throw new HashRejected('bad-salt', `the salt must be unpadded base64 of ${range(SALT_BYTES)} bytes`);
  }
  const hashBytes = decodedLength(hashText);
  if (hashBytes < HASH_BYTES.least || hashBytes > HASH_BYTES.most) {
    throw new HashRejected('bad-hash', `the hash must be unpadded base64 of ${range(HASH_BYTES)} bytes`);
  }
  return { variant, ...cost, saltBytes, hashBytes };
}

function isAboveCap(cost: Argon2Cost): boolean {
  return (
    cost.memoryKib > HIGHEST.memoryKib ||
    cost.iterations > HIGHEST.iterations ||
    cost.parallelism > HIGHEST.parallelism
  );
}

/** 0 for text that is no base64 or is padded. */
function decodedLength(text: string): number {
  return text.endsWith('=') ? 0 : (strictBase64Length(text) ?? 0);
}

function range(bounds: { least: number; most: number }): string {
  return `${bounds.least} to ${bounds.most}`;
}

export const argon2: PasswordScheme = {
  name: 'argon2',
  forms: [...VARIANTS],

  recognises: (encoded) =>
    encoded.startsWith('$argon2') && VARIANTS.has(/^\$([^$]*)/.exec(encoded)?.[1] ?? ''),

  read(encoded: string): ReadHash {
    const { variant, memoryKib, iterations, parallelism } = parseArgon2(encoded);
    return {
      scheme: variant,
      weak: memoryKib < LEAST_STRONG_MEMORY_KIB || memoryKib * iterations < LEAST_STRONG_WORK_KIB,
      cost: `m=${memoryKib} KiB, t=${iterations}, p=${parallelism}`,
      // Comparing is the library's.
      work: () => argon2Work(memoryKib, iterations),
      matches: async (password, lane) =>
        lane === 'slow'
          ? slowThreads.verify({ kind: 'argon2', encoded, password })
          : verify(encoded, password),
      distinguishes: tellsAllApart,
    };
  },
};
