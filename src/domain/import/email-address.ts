import { ApiError } from '../shared/errors.js';
import { brokenLength } from './record-errors.js';
import { isLongerThan } from './text-rules.js';

const PATH = 'email.email';
const LONGEST = 200;
/** RFC 5321 §4.5.3.1.1 and RFC 1035 §2.3.4. */
const LONGEST_LOCAL_PART = 64;
const LONGEST_LABEL = 63;
const LONGEST_DOMAIN = 253;

/** RFC 5322 §3.2.3 atext, and with RFC 6532 §3.2 any visible character beyond ASCII. */
const ATOM = /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+$/u;
const LABEL = /^(?:[A-Za-z0-9-]|[^\p{ASCII}\p{C}\p{Z}])+$/u;

/**
 * An address as RFC 5322 §3.4.1 `addr-spec` with a dot-atom on both sides: no display name, no comment, no
 * quoted local part (legal, yet read differently by every mailer), no address literal. The length is checked
 * before anything else.
 *
 * @param given the field as received, undefined when absent
 * @returns the address without surrounding blanks
 */
export function readEmailAddress(given: string | undefined): string {
  if (isLongerThan(LONGEST, given ?? '')) throw brokenLength(PATH, LONGEST);
  // Blanks only: a line break at the end is somebody's attempt at a mail header.
  const address = (given ?? '').replace(/^ +| +$/g, '');
  if (address === '') throw new ApiError('invalid-argument', 'Email is empty', 'EMAIL-spblu');
  if (address.indexOf('<') > 0 && address.endsWith('>')) {
    throw new ApiError('invalid-argument', 'Email is invalid', 'EMAIL-599GV');
  }
  // The compatibility form is what identifiers are made of: `＠` or `℀` must not turn into `@` or `/` there.
  if (!isAddrSpec(address) || !isAddrSpec(address.normalize('NFKC'))) {
    throw new ApiError('invalid-argument', 'Email is invalid', 'EMAIL-599BI');
  }
  return address;
}

function isAddrSpec(address: string): boolean {
  const [localPart = '', domain = '', ...rest] = address.split('@');
  return (
    rest.length === 0 &&
    Buffer.byteLength(localPart) <= LONGEST_LOCAL_PART &&
    localPart.split('.').every((atom) => ATOM.test(atom)) &&
    domain.length <= LONGEST_DOMAIN &&
    domain.split('.').every(isLabel)
  );
}

function isLabel(label: string): boolean {
  return label.length <= LONGEST_LABEL && LABEL.test(label) && !label.startsWith('-') && !label.endsWith('-');
}
