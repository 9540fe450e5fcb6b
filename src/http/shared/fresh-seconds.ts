/**
 * How old a sign-in may be where an account could be taken over. Long enough to sign in again and fill a form, too short
 * for a machine that was left open (ASVS 7.5.1).
 */
export const FRESH_SECONDS = 600;
