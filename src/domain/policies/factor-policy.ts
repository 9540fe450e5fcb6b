/** What somebody can show beside a password, as a policy names it. */
export const FACTOR_KINDS = ['passkey', 'totp', 'email', 'sms'] as const;
export type FactorKind = (typeof FACTOR_KINDS)[number];
/** Codes that are sent somewhere. */
export const CODE_FACTOR_KINDS = ['email', 'sms'] as const satisfies readonly FactorKind[];
export type CodeFactorKind = (typeof CODE_FACTOR_KINDS)[number];

export const SECOND_FACTORS = ['off', 'offered', 'required'] as const;
export const REQUIRED_FOR = ['all', 'owners'] as const;
export const PASSKEY_COUNTERS = ['event', 'refuse'] as const;

/** What an organization asks of its users beside a password. */
export interface FactorPolicy {
  /** `offered`: whoever has a factor is asked for it. `required`: whom it is required of sets one up while signing in. */
  readonly secondFactor: (typeof SECOND_FACTORS)[number];
  /** Of whom; the others are offered it. Owners have some days, from when they are first offered it. */
  readonly requiredFor: (typeof REQUIRED_FOR)[number];
  /** What counts, strongest first; at least one. */
  readonly kinds: readonly FactorKind[];
  /** How long a browser may be spared the second factor, if its user wishes; 0 for never. */
  readonly trustedBrowserDays: number;
  /** What a passkey meets whose counter went back: it may have been copied. */
  readonly passkeyCounter: (typeof PASSKEY_COUNTERS)[number];
  /** What the token of a user must say for a sensitive call of our own APIs (RFC 9470): two factors, or a passkey. */
  readonly stepUp: (typeof STEP_UPS)[number];
  /** How long ago that may have been shown, in seconds. */
  readonly stepUpMaxAgeSeconds: number;
}

/**
 * Whoever runs organizations needs more than a password; other people are free to have more. No browser is spared, and no
 * call asks for more, unless somebody decides so.
 */
export const defaultFactorPolicy: FactorPolicy = {
  secondFactor: 'required',
  requiredFor: 'owners',
  kinds: FACTOR_KINDS,
  trustedBrowserDays: 0,
  passkeyCounter: 'event',
  stepUp: 'off',
  stepUpMaxAgeSeconds: 3600,
};

/** How long owners have, from when factors were first offered to them. */
export const OWNERS_GRACE_DAYS = 14;

/** Of whom a second factor is asked: off, of those who have one, of owners as well, of everybody. */
export type FactorLevel = 0 | 1 | 2 | 3;

export function factorLevel({ secondFactor, requiredFor }: FactorPolicy): FactorLevel {
  if (secondFactor === 'off') return 0;
  if (secondFactor === 'offered') return 1;
  return requiredFor === 'owners' ? 2 : 3;
}

/** They travel to an address, which others may read. */
const WEAK_KINDS: readonly FactorKind[] = CODE_FACTOR_KINDS;
/** The least first. */
export const STEP_UPS = ['off', 'mfa', 'phr'] as const;

export type StepUpPolicy = Pick<FactorPolicy, 'stepUp' | 'stepUpMaxAgeSeconds'>;

/** All that either of two asks of a sensitive call; the first, where it asks for as much. */
export function stricterStepUp<Own extends StepUpPolicy>(own: Own, other: StepUpPolicy): Own | StepUpPolicy {
  if (other.stepUp === 'off') return own;
  const isStronger = STEP_UPS.indexOf(other.stepUp) > STEP_UPS.indexOf(own.stepUp);
  const isShorter = own.stepUp === 'off' || other.stepUpMaxAgeSeconds < own.stepUpMaxAgeSeconds;
  if (!isStronger && !isShorter) return own;
  return {
    stepUp: isStronger ? other.stepUp : own.stepUp,
    stepUpMaxAgeSeconds: isShorter ? other.stepUpMaxAgeSeconds : own.stepUpMaxAgeSeconds,
  };
}

/** Whether somebody gets through with less under the other policy, whatever it asks for besides. */
export function weakens(before: FactorPolicy, after: FactorPolicy): boolean {
  return (
    factorLevel(after) < factorLevel(before) ||
    WEAK_KINDS.some((kind) => after.kinds.includes(kind) && !before.kinds.includes(kind)) ||
    // whoever has no other is asked for none
    before.kinds.some((kind) => !after.kinds.includes(kind) && !WEAK_KINDS.includes(kind)) ||
    after.trustedBrowserDays > before.trustedBrowserDays ||
    (before.passkeyCounter === 'refuse' && after.passkeyCounter === 'event') ||
    STEP_UPS.indexOf(after.stepUp) < STEP_UPS.indexOf(before.stepUp) ||
    (after.stepUp !== 'off' && after.stepUpMaxAgeSeconds > before.stepUpMaxAgeSeconds)
  );
}
