/** A service that knows which passwords were in data breaches. */
export abstract class BreachedPasswords {
  /** Whether one is asked at all. */
  abstract readonly isAsked: boolean;

  /** False as well where nobody is asked, and where nobody answers: an outage stops no sign-up. */
  abstract isKnown(password: string): Promise<boolean>;
}
