import type { OrgId, UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { StoredTotp } from '../factors.store.js';
import type { TotpSeed } from './totp-seed.js';

/** Who adds an authenticator app to their own account, and in which session. */
export interface EnrollingUser {
  readonly orgId: OrgId;
  readonly userId: UserId;
  /** The session that says who they are; what is begun in one is finished there. */
  readonly session: string;
}

/** Seeds that are not asked for yet, and how they come to be. */
export abstract class TotpEnrolmentsStore {
  /** In place of one that was begun before. */
  abstract begin(who: EnrollingUser, seed: TotpSeed, seconds: number): Promise<void>;

  /** One of this session that has not expired. */
  abstract find(who: EnrollingUser): Promise<StoredTotp | undefined>;

  /**
   * From the commit on codes of the seed are asked for, those after `step`; the former one is gone. One statement takes
   * the enrolment and stores the seed: undefined, and nothing written, where it was finished, replaced or has expired.
   *
   * @returns whether another app was replaced
   */
  abstract finish(
    tx: Tx,
    who: EnrollingUser,
    enrolment: StoredTotp,
    step: number,
  ): Promise<'added' | 'replaced' | undefined>;

  /** The app in use, and one that is being added. False where there was nothing to remove. */
  abstract remove(tx: Tx, orgId: OrgId, userId: UserId): Promise<boolean>;
}
