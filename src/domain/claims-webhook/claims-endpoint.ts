/** One question to somebody's server. */
export interface ClaimsCall {
  /** Whose server it is: what fails for one is not held against another. */
  readonly owner: string;
  /** Whom it asks about: what fails for one user is not held against the others. */
  readonly about: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/**
 * The door to whoever is asked for claims while a request waits. It is left alone for a while after failures in a row, and few
 * requests wait for one server at a time, so that nobody else waits longer for it.
 */
export abstract class ClaimsEndpoint {
  /**
   * @param read what the body of the answer comes to; an answer that it refuses is a failure like any other
   * @throws ChannelError for every answer but 200, for none, for one that `read` refuses, and while it is left alone
   */
  abstract ask<T>(call: ClaimsCall, read: (body: string) => T): Promise<T>;
}
