import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { ApiError } from '../../shared/errors.js';
import { isLongerThan } from '../../users/names/text-rules.js';
import { brokenLength } from './record-errors.js';

const PATH = 'phone.phone';
const LONGEST = 50;
/** Digits of any script and what people write between them; letters would be an extension or a slogan. */
const DIALLED = /^[+\p{Nd}\p{Zs}()./\-\u2010-\u2015]+$/u;

/**
 * A phone number in E.164; one without a country code is read as Swiss. Its length must be possible in its
 * country. Whether it is assigned is not asked: number ranges change faster than our table of them.
 */
export function readPhoneNumber(given: string | undefined): string {
  const text = (given ?? '').trim();
  if (text === '' || isLongerThan(LONGEST, text)) throw brokenLength(PATH, LONGEST);
  const number = phoneNumberOf(text);
  if (number === undefined) throw new ApiError('invalid-argument', 'Phone is invalid', 'PHONE-so0wa');
  return number;
}

/** The same of a form. Undefined for what is no number. */
export function phoneNumberOf(typed: string): string | undefined {
  if (isLongerThan(LONGEST, typed) || !DIALLED.test(typed)) return undefined;
  const phone = parsePhoneNumberFromString(typed, { defaultCountry: 'CH', extract: false });
  return phone?.isPossible() === true ? phone.number : undefined;
}
