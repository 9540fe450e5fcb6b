import { readTotpSeed, writeTotpSeed } from '../../domain/factors/totp/totp-seed.js';
import { readPhoneNumber } from '../../domain/imports/records/phone-number.js';
import { ApiError } from '../../domain/shared/errors.js';
import { Unconvertible, type ConvertedHuman, type ConvertedProfile, type Note } from './converted-human.js';

/** How the sources read what exporters write; a value that is not what it should be counts as absent. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function requireObject(value: unknown): JsonObject {
  const object = asObject(value);
  if (object === undefined) throw new Unconvertible('the record is not a JSON object');
  return object;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Text without surrounding blanks; numbers are written out, since some exporters have ids as such. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' ? undefined : text;
}

/** An id of another service; one that JSON has as too great a number is no longer what was written, and may be somebody else's. */
export function asForeignId(value: unknown): string | undefined {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? undefined : asText(value);
}

const TRUE = new Set(['true', '1', 'yes', 'y', 't']);
const FALSE = new Set(['false', '0', 'no', 'n', 'f']);

export function asTruth(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = asText(value)?.toLowerCase() ?? '';
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : undefined;
}

/** RFC 3339 of what a date is written as: ISO 8601 text, or seconds or milliseconds since 1970. */
export function asInstant(value: unknown): string | undefined {
  const text = asText(value);
  if (text === undefined) return undefined;
  if (/^\d{1,11}(?:\.\d+)?$/.test(text)) return isoOf(Number(text) * 1000);
  if (/^\d{12,15}$/.test(text)) return isoOf(Number(text));
  const iso =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i.exec(
      text,
    );
  if (iso === null) return undefined;
  const [, day = '', time = '00:00:00', zone = 'Z'] = iso;
  // without a zone an exporter means UTC, whatever the zone of this machine
  return isoOf(Date.parse(`${day}T${time}${zone.toUpperCase() === 'UTC' ? 'Z' : zone}`));
}

function isoOf(millis: number): string | undefined {
  const date = new Date(millis);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** `de-CH` of `de_CH.UTF-8`. */
export function asLanguage(value: unknown): string | undefined {
  return asText(value)?.split('.')[0]?.replaceAll('_', '-');
}

/** The language itself without its region. */
export function baseLanguage(value: unknown): string | undefined {
  return asLanguage(value)?.split('-')[0];
}

/** A TOTP secret as people and exporters write it, blanks and padding no part of it, or the address of one. */
export function asTotpSecret(value: unknown): string | undefined {
  const seed = /^otpauth:/i.test(asText(value) ?? '') ? readTotpSeed(asText(value) ?? '') : undefined;
  if (seed !== undefined) return writeTotpSeed(seed);
  const text = asText(value)
    ?.replaceAll(/[\s=-]/g, '')
    .toUpperCase();
  return text !== undefined && /^[A-Z2-7]{16,}$/.test(text) ? text : undefined;
}

/** Names of a user of whom perhaps only one is known: our record wants both. */
export function namesOf(
  first: string | undefined,
  last: string | undefined,
  instead: string,
): Pick<ConvertedProfile, 'firstName' | 'lastName'> {
  return { firstName: first ?? instead, lastName: last ?? instead };
}

/** First and last name of one text: what follows the first blank is the last name. */
export function splitName(full: string): { first: string; last: string } {
  const [first = full, ...rest] = full.split(/\s+/);
  return { first, last: rest.length === 0 ? full : rest.join(' ') };
}

/** The e-mail address that every user must have. */
export function requireEmail(value: unknown): string {
  const email = asText(value);
  if (email === undefined)
    throw new Unconvertible('the user has no e-mail address, which every user must have');
  return email;
}

/**
 * A phone number, if it says which country's it is. Any other is kept as metadata: read as some country's it could
 * become a stranger's number, and for a number nobody should lose the user.
 */
export function addPhone(
  human: ConvertedHuman,
  value: unknown,
  verified: boolean | undefined,
  note: Note,
): void {
  const text = asText(value);
  if (text === undefined) return;
  const phone = text.startsWith('+') ? phoneNumber(text) : undefined;
  if (phone !== undefined) {
    human.phone = { phone, ...(verified === true && { isPhoneVerified: true }) };
    return;
  }
  note('phone number without a country code or not a number, kept as metadata "phone_number"');
  addMetadata(human, 'phone_number', text);
}

function phoneNumber(text: string): string | undefined {
  try {
    return readPhoneNumber(text);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/**
 * Text as it is, anything else as JSON; empty values say nothing. A key that is there keeps its value: one thing that
 * users write must not stand in another's place.
 * @returns whether the value was lost to one that was there
 */
export function addMetadata(human: ConvertedHuman, key: string, value: unknown): 'taken' | undefined {
  const only = Array.isArray(value) && value.length === 1 ? (value as unknown[])[0] : value;
  if (only === undefined || only === null || only === '') return undefined;
  if (Array.isArray(only) && only.length === 0) return undefined;
  // no prototype: a key may be any word
  human.metadata ??= Object.create(null) as Record<string, string>;
  if (Object.hasOwn(human.metadata, key)) return 'taken';
  human.metadata[key] = typeof only === 'string' ? only : JSON.stringify(only);
  return undefined;
}

/** Sets defined values only, so that absent values are absent fields. */
export function defined<Of extends object>(fields: {
  [Name in keyof Of]?: Of[Name] | undefined;
}): Partial<Of> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Of>;
}
