/** Why a sign-in was refused; for operators only, outside all of them look alike. */
export type SignInRefusal =
  'unknown name' | 'user not active' | 'wrong password' | 'blocked' | 'passkey refused';

/** Counts for operators what looks like guessing. Names and numbers only, nothing about whom it concerns. */
export abstract class BruteForceMeter {
  abstract refused(reason: SignInRefusal): void;

  /** Wrong passwords have locked a user's password step. */
  abstract locked(): void;

  /** Too many sign-ins of the whole instance failed within a minute. */
  abstract alarmed(): void;
}
