import type { AuthRequestId, SessionId, UserAgentId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type {
  AuthorizationRequest,
  FoundAuthRequest,
  OpenAuthRequest,
  PendingIdentity,
} from './auth-request.js';

/** A pushed request as it was on file. */
export interface TakenRequest {
  readonly hash: Buffer;
  readonly request: AuthorizationRequest;
  readonly expiresAt: Date;
}

/** Requests that browsers have begun, and those that applications have pushed and no browser has come with yet. */
export abstract class AuthRequestsStore {
  /** Puts it on file. A browser's oldest requests beyond a fixed number are removed by the same statement. */
  abstract add(request: OpenAuthRequest, lifetimeSeconds: number): Promise<void>;

  /** A request that is neither answered nor expired and belongs to this browser. */
  abstract findOpen(id: AuthRequestId, userAgentId: UserAgentId): Promise<FoundAuthRequest | undefined>;

  /** A request of this browser that was answered or has expired, as long as it is on file. */
  abstract findOver(id: AuthRequestId, userAgentId: UserAgentId): Promise<FoundAuthRequest | undefined>;

  /** A request as it was judged good, whatever became of it and whose browser it is, as long as it is on file. */
  abstract findAny(id: AuthRequestId): Promise<FoundAuthRequest | undefined>;

  /** Closes it; false when it was closed or expired already. */
  abstract close(tx: Tx, id: AuthRequestId): Promise<boolean>;

  /** Keeps it open for a user who has something to do first; false when it was closed or expired already. */
  abstract awaitStep(tx: Tx, id: AuthRequestId, sessionId: SessionId): Promise<boolean>;

  /** Wishes for no class of sign-in any more; false when it was closed, or where they are no wish. */
  abstract dropAcr(tx: Tx, id: AuthRequestId): Promise<boolean>;

  /** The name that the sign-in form is filled with from now on. */
  abstract suggestName(id: AuthRequestId, loginName: string): Promise<void>;

  /** Who the browser's user is at a provider, until they have shown whose account it goes with; undefined for nobody. */
  abstract keepIdentity(id: AuthRequestId, identity: Omit<PendingIdentity, 'keptAt'>): Promise<void>;

  /** Puts a request on file that an application has pushed (RFC 9126) and that was found good, by the hash of its `request_uri`. */
  abstract addPushed(hash: Buffer, request: AuthorizationRequest, lifetimeSeconds: number): Promise<void>;

  /**
   * One conditional statement: gives a pushed request to the first who asks, and removes it. Undefined, and nothing has changed,
   * when it was taken before, has expired, or is another client's.
   */
  abstract takePushed(hash: Buffer, clientId: string): Promise<TakenRequest | undefined>;

  /** Puts back what was taken for nothing, until it would have expired anyway. */
  abstract giveBackPushed(taken: TakenRequest): Promise<void>;
}
