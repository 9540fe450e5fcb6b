import type { Sealer } from '../../secrets/sealer.js';
import { addressGroup } from '../../shared/address-group.js';
import type { UserId } from '../../shared/ids.js';

/**
 * Codes that prove an address: six characters in a mail or six digits in a short message, good once, for a short time, for five tries in all.
 * Stored as an HMAC over purpose, user, target and code, so that a code is worth nothing for another user, another
 * address or another step (ASVS 6.6.2), and a stolen table is worth nothing without the key.
 */
export type VerificationPurpose =
  'initialise' | 'verify_email' | 'verify_phone' | 'reset_password' | HandedOutPurpose | FactorCodePurpose;
/** Codes that no message brings: whoever asks for one gets the link, and passes it on (`HandOutLink`). */
export type HandedOutPurpose = 'register_passkey';
/** Codes that are a second factor: of the sign-in, or the session, that they were asked for in, and good nowhere else. */
export type FactorCodePurpose = 'second_factor_email' | 'second_factor_sms';
/** What is sent by SMS; all others by mail. */
export type SmsPurpose = 'verify_phone' | 'second_factor_sms';

const MINUTE_MS = 60_000;

/** From creation, also for a message that waits in a queue (architecture §6, ASVS 6.5.5). */
export const CODE_LIFETIME_MS: Readonly<Record<VerificationPurpose, number>> = {
  initialise: 72 * 60 * MINUTE_MS,
  verify_email: 10 * MINUTE_MS,
  verify_phone: 10 * MINUTE_MS,
  reset_password: 10 * MINUTE_MS,
  register_passkey: 60 * MINUTE_MS,
  second_factor_email: 10 * MINUTE_MS,
  second_factor_sms: 10 * MINUTE_MS,
};

/** What a code is bound to. `target` is the address or number it was sent to. */
export interface CodeSubject {
  readonly purpose: VerificationPurpose;
  readonly userId: UserId;
  readonly target: string;
}

/** The first bytes of `digestOfSource`: the same for all sources of one line, of which IPv6 may have 65,536. */
export const LINE_OF_SOURCE_BYTES = 16;

/** Stands for where a message was asked for: addresses are personal data, so that rows have a digest in place of them. */
export function digestOfSource(sealer: Sealer, source: string): Buffer {
  const line = sealer.mac('code-line', addressGroup(source, 48)).subarray(0, LINE_OF_SOURCE_BYTES);
  return Buffer.concat([line, sealer.mac('code-source', addressGroup(source))]);
}

export function macOfCode(sealer: Sealer, subject: CodeSubject, code: string): Buffer {
  const { purpose, userId, target } = subject;
  return sealer.mac('verification-code', [purpose, userId, target, code].join('\u0000'));
}

/** A code as people type it: case, blanks and dashes make no difference. Bounded, whatever was sent. */
export function readTypedCode(typed: string): string {
  return typed
    .slice(0, 40)
    .replace(/[\s-]+/g, '')
    .toUpperCase();
}
