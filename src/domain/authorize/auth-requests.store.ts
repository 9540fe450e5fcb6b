import type { AuthRequestId, UserAgentId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { OpenAuthRequest } from './auth-request.js';

export abstract class AuthRequestsStore {
  abstract add(request: OpenAuthRequest, lifetimeSeconds: number): Promise<void>;

  /** A request that is neither answered nor expired and belongs to this browser. */
  abstract findOpen(id: AuthRequestId, userAgentId: UserAgentId): Promise<OpenAuthRequest | undefined>;

  /** Closes it; false when it was closed or expired already. */
  abstract close(tx: Tx, id: AuthRequestId): Promise<boolean>;
}
