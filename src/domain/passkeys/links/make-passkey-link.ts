import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { userEvent } from '../../events/user-event.js';
import { requireOtherAccount } from '../../permissions/require-other-account.js';
import { RequireRank } from '../../permissions/require-rank.js';
import type { ResourceDetails } from '../../shared/details.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { LockCoveredUserForUpdate } from '../../users/lock-covered-user-for-update.js';
import { requireActiveHuman } from '../../users/require-active-human.js';
import { UsersStore } from '../../users/users.store.js';
import { HandOutLink } from '../../users/verification/hand-out-link.js';
import { CODE_LIFETIME_MS } from '../../users/verification/verification-code.js';
import type { PasskeyChange } from '../manage/remove-passkey.js';

/** Whoever has the link adds a passkey to the account by it, once (`RegisterByLink`). */
export interface PasskeyLink {
  readonly url: string;
  readonly lifetimeSeconds: number;
  readonly details: ResourceDetails;
}

/**
 * A one-time link by which a user adds a passkey without having signed in, given to a manager who passes it on. Whoever
 * got it could use it themselves, so that it is made by those alone whose rank covers the user, and is noted as theirs
 * (`RevokeOutrankedCredentials`). A user has one at a time.
 */
@Injectable()
export class MakePasskeyLink {
  constructor(
    private readonly lock: LockCoveredUserForUpdate,
    private readonly users: UsersStore,
    private readonly rank: RequireRank,
    private readonly handOutLink: HandOutLink,
    private readonly events: EventsStore,
  ) {}

  /**
   * Ends the link that the user has.
   *
   * @throws ApiError not-found, permission-denied, failed-precondition for one's own, where a fresh sign-in is asked for, and
   *   for a locked or deactivated user
   */
  async execute(tx: Tx, change: PasskeyChange): Promise<PasskeyLink> {
    const { orgId, userId } = change;
    const user = await this.lock.execute(tx, change);
    requireOtherAccount(change, 'factors');
    const { email } = requireActiveHuman(user, 'initial');
    const purpose = 'register_passkey';
    const lifetimeMs = CODE_LIFETIME_MS[purpose];
    const { url } = await this.handOutLink.execute(tx, {
      orgId,
      userId,
      purpose,
      target: email.address,
      lifetimeMs,
      madeBy: (await this.rank.answersFor(tx, change)) ?? '',
    });
    const details = await this.users.countChange(tx, user);
    await this.events.append(tx, userEvent(change, details, 'user.human.passkey.link_made'));
    return { url, lifetimeSeconds: lifetimeMs / 1000, details };
  }
}
