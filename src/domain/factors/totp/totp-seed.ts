import { Secret, TOTP } from 'otpauth';
import { fromBase32, toBase32 } from '../../shared/base32.js';

const TOTP_ALGORITHMS = ['SHA1', 'SHA256', 'SHA512'] as const;
type TotpAlgorithm = (typeof TOTP_ALGORITHMS)[number];

/** What an authenticator app and the service share (RFC 6238). */
export interface TotpSeed {
  /** 10 to 64 bytes. */
  readonly secret: Buffer;
  readonly algorithm: TotpAlgorithm;
  readonly digits: 6 | 8;
  /** Length of a time step. */
  readonly periodSeconds: number;
}

/** RFC 4226 §4 wants 128 bits, and 80 are usual; more than a block of the hash adds nothing. */
export const TOTP_SECRET_BYTES = { least: 10, most: 64 };
const PERIODS = { least: 15, most: 120 };
/** What every authenticator app understands; some ignore anything else. */
const USUAL = { algorithm: 'SHA1', digits: 6, periodSeconds: 30 } as const;
const LONGEST = 500;
/** Steps before and after the present one, for a phone whose clock is off (RFC 6238 §5.2). */
const DRIFT = 1;

/** A seed of our own making: as many bytes as SHA-1 gives (RFC 4226 §4). */
export function usualSeed(secret: Buffer): TotpSeed {
  return { secret, ...USUAL };
}

/**
 * Base32 of the usual kind, or the address that a QR code holds, `otpauth://totp/…?secret=…&algorithm=SHA256&digits=8&period=30`.
 *
 * @returns undefined for anything else, a counter-based one (`otpauth://hotp`) included
 */
export function readTotpSeed(text: string): TotpSeed | undefined {
  if (text.length > LONGEST) return undefined;
  if (!/^otpauth:/i.test(text)) return seedOf(text, USUAL);
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address?.host.toLowerCase() !== 'totp') return undefined;
  const { searchParams: given } = address;
  const algorithm = (given.get('algorithm') ?? USUAL.algorithm).toUpperCase().replace('-', '');
  const digits = Number(given.get('digits') ?? USUAL.digits);
  const periodSeconds = Number(given.get('period') ?? USUAL.periodSeconds);
  const known = TOTP_ALGORITHMS.find((name) => name === algorithm);
  if (known === undefined || (digits !== 6 && digits !== 8)) return undefined;
  if (!Number.isInteger(periodSeconds)) return undefined;
  if (periodSeconds < PERIODS.least || periodSeconds > PERIODS.most) return undefined;
  return seedOf(given.get('secret') ?? '', { algorithm: known, digits, periodSeconds });
}

function seedOf(text: string, settings: Omit<TotpSeed, 'secret'>): TotpSeed | undefined {
  const secret = fromBase32(text);
  if (secret === undefined) return undefined;
  const { least, most } = TOTP_SECRET_BYTES;
  return secret.length < least || secret.length > most ? undefined : { secret, ...settings };
}

/** As `readTotpSeed` takes it: base32 alone where all is as usual. */
export function writeTotpSeed(seed: TotpSeed): string {
  const { algorithm, digits, periodSeconds } = seed;
  const secret = toBase32(seed.secret);
  const usual =
    algorithm === USUAL.algorithm && digits === USUAL.digits && periodSeconds === USUAL.periodSeconds;
  if (usual) return secret;
  const settings = { secret, algorithm, digits: String(digits), period: String(periodSeconds) };
  return `otpauth://totp/imported?${new URLSearchParams(settings).toString()}`;
}

/** The address that a QR code holds. @param account whose it is, as their app shows it beside the issuer */
export function totpAddress(seed: TotpSeed, issuer: string, account: string): string {
  // apps split the label at a colon
  const plain = (text: string): string => text.replaceAll(':', ' ');
  return new TOTP({ ...settingsOf(seed), issuer: plain(issuer), label: plain(account) }).toString();
}

/** What somebody typed: blanks and dashes make no difference, and full-width digits are digits. */
function readDigits(typed: string): string {
  return typed
    .slice(0, 40)
    .normalize('NFKC')
    .replace(/[\s-]+/g, '');
}

/**
 * The time step that a code is of, among the present one and its neighbours.
 *
 * @param nowSeconds since 1970
 * @returns undefined for a code of none of them
 */
export function totpStepOf(seed: TotpSeed, typed: string, nowSeconds: number): number | undefined {
  const token = readDigits(typed);
  if (!/^\d+$/.test(token) || token.length !== seed.digits) return undefined;
  const timestamp = nowSeconds * 1000;
  const delta = TOTP.validate({ ...settingsOf(seed), token, timestamp, window: DRIFT });
  return delta === null ? undefined : TOTP.counter({ period: seed.periodSeconds, timestamp }) + delta;
}

function settingsOf({ secret, algorithm, digits, periodSeconds: period }: TotpSeed) {
  return { secret: new Secret({ buffer: new Uint8Array(secret).buffer }), algorithm, digits, period };
}
