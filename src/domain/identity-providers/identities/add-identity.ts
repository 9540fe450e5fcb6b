import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { userEvent } from '../../events/user-event.js';
import type { Acting } from '../../permissions/acting.js';
import { requireOtherAccount } from '../../permissions/require-other-account.js';
import { RequireRank } from '../../permissions/require-rank.js';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import type { IdentityProviderId, OrgId, UserId, UserIdentityId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { LockCoveredUserForUpdate } from '../../users/lock-covered-user-for-update.js';
import { FirstSignInMethod } from '../../users/sign-in-methods/first-sign-in-method.js';
import { FindNameableProvider } from '../find-nameable-provider.js';
import { rulesOf } from '../rules-of-kind.js';
import { UserIdentitiesStore } from './user-identities.store.js';

/** Nothing was written: the transaction continues. */
export class IdentityTaken extends ApiError {
  /** @param owner who may be the very user that it was meant for */
  constructor(readonly owner: UserId) {
    super('already-exists', 'Identity belongs to a user already', 'IDP-Sb4tk');
  }
}

export interface IdentityChange extends Acting {
  readonly orgId: OrgId;
  readonly userId: UserId;
}

interface GivenIdentity {
  readonly providerId: IdentityProviderId;
  readonly subject: string;
  readonly displayName: string;
}

/** A manager says who a user is elsewhere: whoever has the identity is the user from then on. */
@Injectable()
export class AddIdentity {
  constructor(
    private readonly lock: LockCoveredUserForUpdate,
    private readonly nameable: FindNameableProvider,
    private readonly rank: RequireRank,
    private readonly identities: UserIdentitiesStore,
    private readonly firstSignInMethod: FirstSignInMethod,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found, permission-denied, already-exists, failed-precondition for a user whom the provider has no say over */
  async execute(
    tx: Tx,
    change: IdentityChange,
    given: GivenIdentity,
  ): Promise<{ readonly id: UserIdentityId; readonly details: ResourceDetails }> {
    const { orgId, userId } = change;
    requireOtherAccount(change);
    const user = await this.lock.execute(tx, change);
    const { providerId } = given;
    const provider = await this.nameable.execute(tx, change, providerId);
    const subject = rulesOf(provider).keptSubject?.(given.subject) ?? given.subject;
    const madeBy = (await this.rank.answersFor(tx, change)) ?? '';
    const id = await this.identities.add(tx, { ...given, subject, orgId, userId, madeBy });
    if (id === undefined) {
      const taken = await this.identities.find(providerId, subject, tx);
      throw taken === undefined
        ? new ApiError('failed-precondition', 'The provider cannot sign this user in', 'IDP-Ns5ay')
        : new IdentityTaken(taken.userId);
    }
    // makes an `initial` user active: a provider signs in nobody who still has to set a first password
    const details = await this.firstSignInMethod.count(tx, user);
    const event = userEvent(change, details, 'user.human.identity.added');
    const letIn = user.state === 'initial' && { fields: ['state'] };
    await this.events.append(tx, { ...event, ...letIn, data: { providerId } });
    return { id, details };
  }
}
