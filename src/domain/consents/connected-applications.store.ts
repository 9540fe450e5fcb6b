import type { ApplicationId, OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { AgreedLevel } from './consents.store.js';

/** An application that knows a user, or may act for them. */
export interface ConnectedApplication {
  readonly id: ApplicationId;
  readonly name: string;
  /** Of the organization that has it. */
  readonly ownerName: string;
  /** Consent to act for them on the service's own APIs, where there is one. */
  readonly access?: AgreedLevel;
  /** It may refresh its tokens. */
  readonly offline: boolean;
  /** When it last got tokens, or the consent. */
  readonly lastUsedAt: Date;
}

export interface OwnerOfGrants {
  readonly orgId: OrgId;
  readonly userId: UserId;
}

export abstract class ConnectedApplicationsStore {
  /** By consent, by a grant of a session that lives, or by a refresh token; last used first, the first hundred. */
  abstract listOfUser(user: OwnerOfGrants): Promise<readonly ConnectedApplication[]>;

  /**
   * Ends all grants that an application holds of a user, whatever APIs they are for, with an event each.
   * @returns how many
   */
  abstract endGrants(
    tx: Tx,
    user: OwnerOfGrants,
    applicationId: ApplicationId,
    reason: string,
  ): Promise<number>;
}
