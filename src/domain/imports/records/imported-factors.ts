import type { ImportedFactors } from '../../factors/factors.store.js';
import { isExportedHash, type RecordRecoveryCode } from '../../factors/recovery-codes/recovery-code-hash.js';
import { readTotpSeed, TOTP_SECRET_BYTES, writeTotpSeed } from '../../factors/totp/totp-seed.js';
import { readHash } from '../../passwords/schemes/password-schemes.js';
import { CODE_FACTOR_KINDS, type CodeFactorKind } from '../../policies/factor-policy.js';
import { readTypedCode } from '../../users/verification/verification-code.js';
import { FieldError, inField } from './record-errors.js';

/** Those of other products, whose family may be switched off. */
export function foreignHashes({ recoveryCodes }: ImportedFactors): readonly string[] {
  return recoveryCodes.flatMap((code) => ('hash' in code && !isExportedHash(code.hash) ? [code.hash] : []));
}

/** As many as make sense (protocol §2.1), each as long as it says (§1.1). */
const MOST_CODES = 10;
const LONGEST_CODE = 200;

/** Whoever types a wrong code waits for all of them: together they cost no more than one of the dearest hashes may (hashing-work.ts). */
const MOST_WORK_MS = 5_000;
/** More than people type. */
const TYPED_BYTES = 64;

/** Base32 or `otpauth://totp/…`; nothing for an empty value. @throws FieldError */
export function readTotpSecret(path: string, given: unknown): string | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  const seed = typeof given === 'string' ? readTotpSeed(given) : undefined;
  if (seed !== undefined) return writeTotpSeed(seed);
  const { least, most } = TOTP_SECRET_BYTES;
  throw new FieldError(
    path,
    `${path} must be base32 of ${least} to ${most} bytes, or an otpauth://totp address with such a secret`,
  );
}

/** A list of `{raw}` and `{hash}`. @throws FieldError, HashRejected as a FieldError */
export function readRecoveryCodes(given: unknown): readonly RecordRecoveryCode[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw new FieldError('recoveryCodes', 'recoveryCodes must be a list');
  if (given.length > MOST_CODES) {
    throw new FieldError('recoveryCodes', `recoveryCodes must have at most ${MOST_CODES} entries`);
  }
  const read = given.map((code: unknown, index) => readRecoveryCode(`recoveryCodes[${index}]`, code));
  if (read.reduce((sum, { work }) => sum + work, 0) > MOST_WORK_MS) {
    throw new FieldError('recoveryCodes', 'recoveryCodes have hashes that cost too much together');
  }
  return read.map(({ code }) => code);
}

/** A list of `email` and `sms`. @throws FieldError, also for codes by SMS without a number to send them to */
export function readCodeFactors(given: unknown, hasPhone: boolean): readonly CodeFactorKind[] {
  if (given === undefined || given === null) return [];
  const kinds = Array.isArray(given) ? new Set(given as unknown[]) : undefined;
  const known = CODE_FACTOR_KINDS.filter((kind) => kinds?.delete(kind));
  if (kinds?.size !== 0) throw new FieldError('codeFactors', 'codeFactors must be a list of email and sms');
  if (known.includes('sms') && !hasPhone) {
    throw new FieldError('codeFactors', 'codeFactors has sms, and the record has no phone number');
  }
  return known;
}

function readRecoveryCode(
  path: string,
  given: unknown,
): { readonly code: RecordRecoveryCode; readonly work: number } {
  const fields =
    typeof given === 'object' && given !== null && !Array.isArray(given) ? Object.entries(given) : [];
  const [[kind, text] = [], ...others] = fields.filter(([, value]) => value !== null && value !== '');
  const isText = typeof text === 'string' && text.length <= LONGEST_CODE;
  if (others.length > 0 || !isText || (kind !== 'raw' && kind !== 'hash')) {
    throw new FieldError(
      path,
      `${path} must be {"raw": …} or {"hash": …} with 1 to ${LONGEST_CODE} characters`,
    );
  }
  if (kind === 'raw') {
    if (readTypedCode(text) === '') throw new FieldError(path, `${path}.raw must have letters or digits`);
    return { code: { raw: text }, work: 0 };
  }
  const work = isExportedHash(text) ? 0 : inField(`${path}.hash`, () => readHash(text).work(TYPED_BYTES));
  return { code: { hash: text }, work };
}
