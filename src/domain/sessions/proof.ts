/** What somebody can show to be who they are. */
const PROOF_KINDS = [
  'password',
  /** An authenticator that somebody touched: they were present, and maybe not its owner. */
  'passkey',
  /** An authenticator that also checked its owner, by PIN or body. */
  'passkey-verified',
  'totp',
  'email-code',
  'sms-code',
  'recovery-code',
  /** A provider says who they are: how and when they showed it there is not known here. */
  'external',
  /** A provider has shown that they signed in there a short while ago. */
  'external-anew',
  /**
   * A provider has said when they last signed in there, or was asked to have them do so: at that time. It is taken at its word for
   * an application that asks how long ago somebody signed in, and for no more.
   */
  'external-told',
  /** A code mailed to the verified address of a user who has no other means to authenticate again. */
  'mailbox',
] as const;

export type ProofKind = (typeof PROOF_KINDS)[number];

/** When each kind was last shown in a session, in seconds since 1970. */
export type Proofs = { readonly [Kind in ProofKind]?: number };

/** Authentication methods (RFC 8176 §2), in the order in which tokens have them. */
const METHODS = ['pwd', 'otp', 'sms', 'user', 'mfa'] as const;
type Method = (typeof METHODS)[number];

const METHODS_OF: Readonly<Record<ProofKind, readonly Method[]>> = {
  password: ['pwd'],
  passkey: ['user'],
  'passkey-verified': ['user'],
  totp: ['otp'],
  'email-code': ['otp'],
  'sms-code': ['sms', 'otp'],
  'recovery-code': ['otp'],
  external: [],
  'external-anew': [],
  'external-told': [],
  mailbox: [],
};

/** What somebody begins with; both together are no more than one of them. */
const FIRST: ReadonlySet<ProofKind> = new Set([
  'password',
  'external',
  'external-anew',
  'external-told',
  'mailbox',
]);

export function isFirst(kind: ProofKind): boolean {
  return FIRST.has(kind);
}

/**
 * Whether two factors of different kinds were shown: a password is known and all the others are held; a passkey that checked
 * its owner is both by itself (NIST SP 800-63B-4 §3.1.7). Who comes from a provider has shown one factor there at least.
 */
export function hasTwoFactors(kinds: readonly ProofKind[]): boolean {
  if (kinds.includes('passkey-verified')) return true;
  return kinds.some((kind) => FIRST.has(kind)) && kinds.some((kind) => !FIRST.has(kind));
}

/**
 * How old a sign-in may be, in seconds, where an account could be taken over. Long enough to sign in again and fill a form, too
 * short for a machine that was left open (ASVS 7.5.1).
 */
export const FRESH_SECONDS = 600;

/**
 * Whether a session is as fresh as this proof. A code, or an authenticator that somebody touched, adds to what was shown
 * before and is not enough by itself: a mailbox that is open in the next tab must not make an old password new (security S378).
 */
export function renewsSession(kind: ProofKind): boolean {
  return FIRST.has(kind) || kind === 'passkey-verified';
}

/**
 * Whether the user of a session has recently authenticated as its owner. A provider's word is not enough: one
 * that was not asked for a fresh sign-in, or cannot be, answers from its own session, whoever is at the browser (security S496).
 */
export function isFresh({
  authAgeSeconds,
  authenticatedAt,
  proofs,
}: {
  readonly authAgeSeconds: number;
  readonly authenticatedAt: number;
  readonly proofs: Proofs;
}): boolean {
  if (authAgeSeconds > FRESH_SECONDS) return false;
  return kindsOf(freshProofs(proofs, authenticatedAt + authAgeSeconds)).some(showsOwner);
}

/** Whether a proof of this kind needs its owner to be there, and not just their browser. */
export function showsOwner(kind: ProofKind): boolean {
  return kind !== 'external' && kind !== 'external-told';
}

/**
 * Whether somebody has signed in since a moment, as an application may want it (`prompt=login`, `max_age`). That a provider has
 * let them through by a session of its own is no sign-in: they may have come that way for another request (security S358).
 *
 * @param since in seconds since 1970
 */
export function hasSignedInSince(
  { authenticatedAt, proofs }: { readonly authenticatedAt: number; readonly proofs: Proofs },
  since: number,
): boolean {
  if (authenticatedAt < since) return false;
  // proofs have whole seconds
  return kindsOf(proofs).some((kind) => kind !== 'external' && (proofs[kind] ?? 0) >= Math.floor(since));
}

/** Factors of a session that may keep counting beside a new password: old ones would look new (security S407). */
export function freshProofs(proofs: Proofs, nowSeconds: number): Proofs {
  return Object.fromEntries(
    Object.entries(proofs).filter(([, shownAt]) => nowSeconds - shownAt <= FRESH_SECONDS),
  );
}

/** How much was shown: nothing that counts alone, a password, two factors, a passkey that checked its owner. */
export type ProofLevel = 0 | 1 | 2 | 3;

export function levelOf(kinds: readonly ProofKind[]): ProofLevel {
  if (kinds.includes('passkey-verified')) return 3;
  if (hasTwoFactors(kinds)) return 2;
  return kinds.includes('password') ? 1 : 0;
}

/** `amr` (OpenID Connect Core §2) of what was shown. Empty for nothing. */
export function amrOf(kinds: readonly ProofKind[]): readonly string[] {
  const methods = new Set<Method>(kinds.flatMap((kind) => METHODS_OF[kind]));
  if (hasTwoFactors(kinds)) methods.add('mfa');
  return METHODS.filter((method) => methods.has(method));
}

/** What was shown in a session. */
export function kindsOf(proofs: Proofs): readonly ProofKind[] {
  return PROOF_KINDS.filter((kind) => proofs[kind] !== undefined);
}
