import { ApiError } from '../../shared/errors.js';
import { hasEncodedWord, isEmailAddress, LONGEST_EMAIL_ADDRESS } from '../../users/email-address.js';
import { isLongerThan } from '../../users/names/text-rules.js';
import { brokenLength } from './record-errors.js';

const PATH = 'email.email';

/**
 * An address as RFC 5322 §3.4.1 `addr-spec` with a dot-atom on both sides: no display name, no comment, no
 * quoted local part (legal, yet read differently by every mailer), no address literal. The length is checked
 * before anything else.
 *
 * @param given the field as received, undefined when absent
 * @returns the address without surrounding blanks
 */
export function readEmailAddress(given: string | undefined): string {
  if (isLongerThan(LONGEST_EMAIL_ADDRESS, given ?? '')) throw brokenLength(PATH, LONGEST_EMAIL_ADDRESS);
  // Blanks only: a line break at the end is somebody's attempt at a mail header.
  const address = (given ?? '').replace(/^ +| +$/g, '');
  if (address === '') throw new ApiError('invalid-argument', 'Email is empty', 'EMAIL-spblu');
  if (address.indexOf('<') > 0 && address.endsWith('>')) {
    throw new ApiError('invalid-argument', 'Email is invalid', 'EMAIL-599GV');
  }
  if (hasEncodedWord(address)) {
    const text =
      'Email must not contain an encoded word (=?…?=), which mail programs read as another address';
    throw new ApiError('invalid-argument', text, 'EMAIL-Ew47d');
  }
  if (!isEmailAddress(address)) {
    throw new ApiError('invalid-argument', 'Email is invalid', 'EMAIL-599BI');
  }
  return address;
}
