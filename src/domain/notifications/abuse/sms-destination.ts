// the full metadata: only it knows which numbers of a country are mobile ones
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { SmsLimitSettings } from './sms-limit-settings.js';
import type { SmsOrigin } from './sms-meter.js';
import type { E164 } from './sms-prefixes.js';

export interface SmsDestination {
  /** ISO 3166-1 alpha-2; undefined for numbers that no country has, such as those of satellites. */
  readonly country: string | undefined;
  /** What a number of this range is for, as `SMS_NUMBER_TYPES` writes it; `unknown` for a range that nobody listed. */
  readonly type: string;
  /** Digits of the calling code; empty for what is no number. */
  readonly callingCode: string;
  /** The number without its last digits: whoever pumps messages owns runs of adjacent numbers. */
  readonly prefix: string;
}

/** Where a message would go. A number that nobody knows the country of counts for the main one of its calling code. */
export function destinationOf(number: E164, prefixTail: number): SmsDestination {
  const phone = parsePhoneNumberFromString(number);
  return {
    country: phone?.country ?? phone?.getPossibleCountries()[0],
    type: phone?.getType()?.toLowerCase() ?? 'unknown',
    callingCode: phone?.countryCallingCode ?? '',
    prefix: number.slice(0, -prefixTail),
  };
}

/**
 * The one place that says where SMS may go at all. Premium, shared cost and personal numbers pay whoever has messages
 * sent to them (security S190), so only ranges of allowed types get any. Ranges are assigned faster than any table of
 * them learns it: one that nobody listed gets nothing that users ask for themselves, a stranger who registered among
 * them, but what a manager or an import calls for, which the caps of its organization hold.
 */
export function refusedDestination(
  { country, type }: SmsDestination,
  { countries, numberTypes }: Pick<SmsLimitSettings, 'countries' | 'numberTypes'>,
  origin: SmsOrigin,
): 'country' | 'number_type' | undefined {
  if (!countries.has('*') && (country === undefined || !countries.has(country))) return 'country';
  if (numberTypes.has('*') || numberTypes.has(type)) return undefined;
  return type === 'unknown' && origin !== 'self' ? undefined : 'number_type';
}
