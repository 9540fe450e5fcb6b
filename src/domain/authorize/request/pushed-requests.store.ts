import type { AuthorizationRequest } from '../auth-request.js';

/** A pushed request as it was on file. */
export interface TakenRequest {
  readonly hash: Buffer;
  readonly request: AuthorizationRequest;
  readonly expiresAt: Date;
}

/**
 * Requests that applications have pushed (RFC 9126), by the hash of the `request_uri` that stands for each. They were found
 * good before they are put on file.
 */
export abstract class PushedRequestsStore {
  abstract add(hash: Buffer, request: AuthorizationRequest, lifetimeSeconds: number): Promise<void>;

  /**
   * One conditional statement: gives the request to the first who asks, and removes it. Undefined, and nothing has changed,
   * when it was taken before, has expired, or is another client's.
   */
  abstract take(hash: Buffer, clientId: string): Promise<TakenRequest | undefined>;

  /** Puts back what was taken for nothing, until it would have expired anyway. */
  abstract giveBack(taken: TakenRequest): Promise<void>;
}
