/** How long a session signs its user in without a password. */
export abstract class SessionSettings {
  /** Since it was last used for an application. */
  abstract readonly idleSeconds: number;
  /** Since the password was last checked. */
  abstract readonly absoluteSeconds: number;
}
