/**
 * Posts one logout token to an application and returns the outcome. It never follows a redirect and never
 * reads the answer's body.
 */
export abstract class BackChannel {
  /**
   * POSTs `logout_token` as a form (Back-Channel Logout §2.5); within 5 s in any case.
   *
   * @param uri registered, https or (in development) http
   * @throws ChannelError `terminal` for a 400, the application's own refusal (§2.8), and for an address that the
   *   service must not call; `retryable` for every other answer than 2xx and for no answer
   */
  abstract deliver(uri: string, logoutToken: string): Promise<void>;
}
