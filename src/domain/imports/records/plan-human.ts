import { requirePasswordPolicy, type PasswordPolicy } from '../../passwords/password-policy.js';
import { canonicalName } from '../../users/names/canonical-name.js';
import { usualDisplayName } from '../../users/profile-replacement.js';
import type { UsableState } from '../../users/user.js';
import type { HumanRecord, RecordPassword } from './human-record.js';

/** What importing a human does beside storing the record; the same for a single call and a bulk chunk. */
export interface HumanPlan {
  /** `initial` only without a password, without a passkey or an identity elsewhere that is as good, and without a link for a passkey to a verified address: with a password, even an unverified e-mail may sign in (architecture §6). */
  readonly state: UsableState;
  readonly displayName: string;
  /** Names the user can sign in with; an e-mail only once it is verified. */
  readonly identifiers: readonly LoginIdentifier[];
  /** The one mail that is due: `init` sets a password and verifies, `verify-email` only verifies. */
  readonly mail: 'init' | 'verify-email' | undefined;
  /** The number waits for its verification SMS. */
  readonly sms: 'verify-phone' | undefined;
  /** `plain` is still to be hashed; a given hash is stored as it is. */
  readonly password: RecordPassword | undefined;
}

interface LoginIdentifier {
  readonly kind: 'user_name' | 'email';
  readonly canonical: string;
}

/**
 * Throws ApiError `invalid-argument` when a plain password breaks the policy. No I/O, no clock, no chance.
 *
 * @param bringsPasskey one that signs in without a password, which is as good as one here
 */
export function planHuman(record: HumanRecord, policy: PasswordPolicy, bringsPasskey = false): HumanPlan {
  const { profile, email, phone, password, identities = [], asksForPasskeyLink = false } = record;
  if (password?.kind === 'plain') requirePasswordPolicy(policy, password.plain);
  const signsIn = password !== undefined || bringsPasskey || identities.length > 0;
  return {
    state: isInitial(email.verified, signsIn, asksForPasskeyLink) ? 'initial' : 'active',
    displayName: profile.displayName ?? usualDisplayName(profile),
    identifiers: [
      { kind: 'user_name', canonical: canonicalName(record.userName) },
      ...(email.verified ? [{ kind: 'email', canonical: canonicalName(email.address) } as const] : []),
    ],
    mail: dueMail(email.verified, signsIn, asksForPasskeyLink),
    sms: phone !== undefined && !phone.verified ? 'verify-phone' : undefined,
    password,
  };
}

/** Who gets a link for a passkey needs no mail for a password, unless the mail is to verify the address (protocol §1.2). */
function isInitial(emailVerified: boolean, signsIn: boolean, asksForPasskeyLink: boolean): boolean {
  return !signsIn && !(asksForPasskeyLink && emailVerified);
}

/**
 * The one mail that a new human is due. Never two: the initialisation link verifies the address as well.
 *
 * @param signsIn by a password, by a passkey alone, or elsewhere
 */
export function dueMail(
  emailVerified: boolean,
  signsIn: boolean,
  asksForPasskeyLink = false,
): HumanPlan['mail'] {
  if (isInitial(emailVerified, signsIn, asksForPasskeyLink)) return 'init';
  return emailVerified ? undefined : 'verify-email';
}
