import { UsageError } from '../../shell/exit.js';

/** What a Firebase project hashes all its passwords with; base64 as the console shows it. */
export interface FirebaseHashing {
  readonly signerKey: string;
  readonly saltSeparator: string;
  readonly rounds: number;
  readonly memoryCost: number;
}

/** Reads `hash_config { algorithm: SCRYPT, base64_signer_key: …, … }`, as JSON too. Throws UsageError. */
export function readHashConfig(content: string): FirebaseHashing {
  const algorithm = valueOf(content, 'algorithm') ?? 'SCRYPT';
  if (algorithm !== 'SCRYPT')
    throw new UsageError('the hash parameters are not those of Firebase scrypt (SCRYPT)');
  return {
    signerKey: base64(content, 'base64_signer_key'),
    saltSeparator: base64(content, 'base64_salt_separator'),
    rounds: count(content, 'rounds', 8),
    memoryCost: count(content, 'mem_cost', 14),
  };
}

function valueOf(content: string, name: string): string | undefined {
  return new RegExp(`\\b${name}"?\\s*:\\s*"?([^\\s",}]+)`).exec(content)?.[1];
}

function base64(content: string, name: string): string {
  const value = normal(valueOf(content, name) ?? '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value))
    throw new UsageError(`the hash parameter ${name} is missing or no base64`);
  return value;
}

function count(content: string, name: string, highest: number): number {
  const value = Number(valueOf(content, name) ?? Number.NaN);
  if (!Number.isInteger(value) || value < 1 || value > highest) {
    throw new UsageError(`the hash parameter ${name} must be a number from 1 to ${highest}`);
  }
  return value;
}

/** The form that carries the project's parameters along: `domain/passwords/schemes/firebase-scrypt.ts`. */
export function firebaseHash(hashing: FirebaseHashing, salt: string, hash: string): string {
  const { memoryCost, rounds, saltSeparator, signerKey } = hashing;
  const parts = [salt, hash, saltSeparator, signerKey].map((part) => normal(part).replace(/=+$/, ''));
  return `$firescrypt$ln=${memoryCost},r=${rounds},p=1$${parts.join('$')}`;
}

/** Firebase's API writes the URL-safe alphabet, its tools the standard one. */
function normal(base64: string): string {
  return base64.replaceAll('-', '+').replaceAll('_', '/');
}
