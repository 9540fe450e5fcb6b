import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { E164 } from './sms-prefixes.js';

export interface SmsDestination {
  /** ISO 3166-1 alpha-2; undefined for numbers that no country has, such as those of satellites. */
  readonly country: string | undefined;
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
    callingCode: phone?.countryCallingCode ?? '',
    prefix: number.slice(0, -prefixTail),
  };
}
