import { canonicalName } from './names/canonical-name.js';
import { isLongerThan } from './names/text-rules.js';

export const LONGEST_EMAIL_ADDRESS = 200;
/** RFC 5321 §4.5.3.1.1 and RFC 1035 §2.3.4. */
const LONGEST_LOCAL_PART = 64;
const LONGEST_LABEL = 63;
const LONGEST_DOMAIN = 253;

/** RFC 5322 §3.2.3 atext, and with RFC 6532 §3.2 any visible character beyond ASCII. */
const ATOM = /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+$/u;
const LABEL = /^(?:[A-Za-z0-9-]|[^\p{ASCII}\p{C}\p{Z}])+$/u;

/** How an encoded word begins: `=?utf-8?`. Lenient decoders need neither an end nor a known encoding. */
const ENCODED_WORD = /=\?[^?]*\?/;

/**
 * RFC 2047 encoded words (`=?utf-8?q?…?=`) are made of characters that a local part may have; whoever decodes them
 * sends the mail somewhere else than where it is written to (security S204).
 */
export function hasEncodedWord(address: string): boolean {
  return ENCODED_WORD.test(address.normalize('NFKC'));
}

/**
 * Whether this is an address as RFC 5322 §3.4.1 `addr-spec` with a dot-atom on both sides: no display name, no comment,
 * no quoted local part (legal, yet read differently by every mailer), no address literal, no blanks around it, no
 * encoded word.
 */
export function isEmailAddress(address: string): boolean {
  if (isLongerThan(LONGEST_EMAIL_ADDRESS, address)) return false;
  const compatible = address.normalize('NFKC');
  return (
    isAddrSpec(address) &&
    !hasEncodedWord(address) &&
    // the compatibility form is what identifiers are made of: `＠` or `℀` must not turn into `@` or `/` there
    (compatible === address || isAddrSpec(compatible))
  );
}

/**
 * Whether an address is its own canonical form but for case. Others look like another address and compare equal to it,
 * yet mail to them may reach another mailbox (`ａda@…`, `ada@straße.example`, a Kelvin sign in place of a K): a mailbox that is
 * proven by mail must never stand for another one. The ideographic full stop is one of a domain's dots to some (RFC 3490 §3.1).
 */
export function isPlainAddress(address: string): boolean {
  return (
    canonicalName(address) === address.toLowerCase() &&
    address.normalize('NFKC') === address &&
    !address.includes('\u3002')
  );
}

/**
 * Whether a code from the mailbox of this address proves the name that it signs in by, or an earlier proof still stands
 * for an address that takes another one's place with the same canonical form. Of an address that only looks like its
 * canonical form the mailbox is another one: such a name never counts as proven.
 */
export function provesName(address: string): boolean {
  return isPlainAddress(address);
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
