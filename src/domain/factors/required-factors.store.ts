import type { SessionId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** People who must have a second factor and have none: until then it is offered at each sign-in. */
export abstract class RequiredFactorsStore {
  /**
   * Notes that it is offered, the first time. One statement.
   * @returns until when it may be put off; undefined for whoever must set one up now
   */
  abstract offer(userId: UserId): Promise<Date | undefined>;

  /** Puts it off in a session; false, and nothing written, where the days for that have passed. */
  abstract postpone(tx: Tx, sessionId: SessionId): Promise<boolean>;

  /** Whether the user must have a factor and has none left, as the transaction sees it. */
  abstract isMissing(tx: Tx, userId: UserId): Promise<boolean>;
}
