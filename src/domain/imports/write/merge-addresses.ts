import { isPlainAddress } from '../../users/email-address.js';
import { canonicalName } from '../../users/names/canonical-name.js';
import type { HumanUser, UserState } from '../../users/user.js';

type Email = HumanUser['email'];
type Phone = NonNullable<HumanUser['phone']>;

/**
 * The address of an existing user after an update, by the rules of accounts/change-email.ts: an unverified one waits
 * beside a verified one until its code is entered. Addresses are compared as sign-in does, and an unverified other spelling of the
 * verified one changes nothing: mail to it may reach another mailbox.
 */
export function mergeEmail(state: UserState, before: Email, given: Email): Email {
  const pending = given.pending ?? before.pending;
  if (canonicalName(before.address) === canonicalName(given.address)) {
    const { address } = before.verified && !given.verified ? before : given;
    // what is the address by now waits for nothing
    const waiting = pending !== undefined && pending !== address && { pending };
    return { address, verified: before.verified || given.verified, ...waiting };
  }
  // nobody signs in by an address before there is a password
  if (given.verified || !before.verified || state === 'initial') return given;
  return { address: before.address, verified: true, pending: given.address };
}

/** The same number stays as verified as it was. */
export function mergePhone(before: Phone | undefined, given: Phone | undefined): Phone | undefined {
  if (before === undefined || given === undefined) return given ?? before;
  return {
    number: given.number,
    verified: given.verified || (before.verified && isSameNumber(before, given)),
  };
}

/** The verified address that another one replaces, or is to replace: its owner is notified there. */
export function addressToTell(before: Email, after: Email): string | undefined {
  if (!before.verified) return undefined;
  const begun = after.pending !== undefined && after.pending !== before.pending;
  return begun || !isSameMailbox(before.address, after.address) ? before.address : undefined;
}

/** Codes have gone to the previous number. */
export function isVerifiedNumberReplaced(before: Phone | undefined, after: Phone | undefined): boolean {
  return before?.verified === true && !isSameNumber(before, after);
}

function isSameNumber(before: Phone, after: Phone | undefined): boolean {
  return before.number === after?.number;
}

/** Plain addresses with one canonical form differ by case at most. */
function isSameMailbox(one: string, other: string): boolean {
  return (
    one === other ||
    (canonicalName(one) === canonicalName(other) && isPlainAddress(one) && isPlainAddress(other))
  );
}
