import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import type { Acting } from '../permissions/acting.js';
import { EffectiveRoles } from '../permissions/effective-roles.js';
import { allows } from '../permissions/permissions.js';
import { RequireRank } from '../permissions/require-rank.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { IdentityProviderId, OrgId, UserId, UserIdentityId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EndAccess } from '../users/end-access.js';
import { userNotFound } from '../users/find-user.js';
import { RequireWayIn } from '../users/require-way-in.js';
import { UsersStore, type LockedUser } from '../users/users.store.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import type { IdentityProvider } from './identity-provider.js';
import { IdentityProvidersStore } from './identity-providers.store.js';
import { identityProviderNotFound } from './manage-identity-providers.js';
import { rulesOf } from './rules-of-kind.js';
import { UserIdentitiesStore, type UserIdentity } from './user-identities.store.js';

export function identityNotFound(): ApiError {
  return new ApiError('not-found', 'Identity could not be found', 'IDP-Id7nf');
}

/** Nothing was written: the transaction goes on. */
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

export interface GivenIdentity {
  readonly providerId: IdentityProviderId;
  readonly subject: string;
  readonly displayName: string;
}

/** The identities of a user elsewhere, looked at and changed by the user, or by a manager who could be them. */
@Injectable()
export class ManageIdentities {
  constructor(
    private readonly identities: UserIdentitiesStore,
    private readonly providers: IdentityProvidersStore,
    private readonly users: UsersStore,
    private readonly rank: RequireRank,
    private readonly roles: EffectiveRoles,
    private readonly access: EndAccess,
    private readonly wayIn: RequireWayIn,
    private readonly codes: VerificationCodesStore,
    private readonly events: EventsStore,
  ) {}

  /** Oldest first. @throws ApiError not-found for the user */
  async list(orgId: OrgId, userId: UserId): Promise<readonly UserIdentity[]> {
    if ((await this.users.find(orgId, userId)) === undefined) throw userNotFound();
    return await this.identities.listOfUser(orgId, userId);
  }

  /**
   * By a manager: whoever has the identity is the user from then on.
   * @throws ApiError not-found, permission-denied, already-exists, failed-precondition for a user whom the provider has no say over
   */
  async add(
    tx: Tx,
    change: IdentityChange,
    given: GivenIdentity,
  ): Promise<{ readonly id: UserIdentityId; readonly details: ResourceDetails }> {
    const { orgId, userId } = change;
    const user = await this.lock(tx, change);
    const { providerId } = given;
    const provider = await this.findNameable(tx, change, providerId);
    if (provider === undefined) throw identityProviderNotFound();
    const subject = rulesOf(provider).keptSubject?.(given.subject) ?? given.subject;
    const madeBy = (await this.rank.answersFor(tx, change)) ?? '';
    const id = await this.identities.add(tx, { ...given, subject, orgId, userId, madeBy });
    if (id === undefined) {
      const taken = await this.identities.find(providerId, subject, tx);
      throw taken === undefined
        ? new ApiError('failed-precondition', 'The provider cannot sign this user in', 'IDP-Ns5ay')
        : new IdentityTaken(taken.userId);
    }
    const details = await this.countAddition(tx, user);
    const event = userEvent(change, details, 'user.human.identity.added');
    const letIn = user.state === 'initial' && { fields: ['state'] };
    await this.events.append(tx, { ...event, ...letIn, data: { providerId } });
    return { id, details };
  }

  /**
   * Nobody signs in by it from the commit on. Where somebody else takes it away it may be in wrong hands: whatever the user was
   * let in with ends as well.
   *
   * @throws ApiError not-found, permission-denied, failed-precondition for the last way in
   */
  async remove(tx: Tx, change: IdentityChange, id: UserIdentityId): Promise<ResourceDetails> {
    const { orgId, userId, actorId } = change;
    const user = await this.lock(tx, change);
    const removed = await this.identities.remove(tx, orgId, userId, id);
    if (removed === undefined) throw identityNotFound();
    await this.wayIn.check(tx, userId);
    if (actorId !== userId) await this.access.ofUser(tx, change, 'identity_removed');
    const details = await this.users.countChange(tx, user);
    const event = userEvent(change, details, 'user.human.identity.removed');
    await this.events.append(tx, { ...event, data: { providerId: removed.providerId } });
    return details;
  }

  /**
   * A subject of an instance's provider may be anybody's, of any organization: whoever could name it for one of their own users
   * would keep its owner out. So only whoever keeps the provider names subjects of it.
   */
  private async findNameable(
    tx: Tx,
    change: IdentityChange,
    id: IdentityProviderId,
  ): Promise<IdentityProvider | undefined> {
    const own = await this.providers.find({ orgId: change.orgId, id }, tx);
    if (own !== undefined) return own.provider;
    const held = await this.roles.everywhere(change, tx);
    const ofInstance = held.filter(({ orgId }) => orgId === null).map(({ role }) => role);
    if (!allows(ofInstance, 'iam.idp.write')) return undefined;
    return (await this.providers.find({ orgId: null, id }, tx))?.provider;
  }

  /**
   * Who had nothing to sign in with is active from now on, as with a first password or passkey: a provider lets in nobody who
   * waits for one. The mail that was to give them a password has done its part. Their address stays as it is; one that nobody has
   * verified is asked for after the next sign-in, as with everybody else.
   */
  private async countAddition(tx: Tx, user: LockedUser): Promise<ResourceDetails> {
    await this.codes.endLive(tx, user.id, 'initialise');
    if (user.state !== 'initial') return await this.users.countChange(tx, user);
    const details = await this.users.recordChange(tx, user.orgId, user.id, { newPassword: true });
    if (details === undefined) throw new Error('a locked user has changed');
    return details;
  }

  private async lock(tx: Tx, change: IdentityChange): Promise<LockedUser> {
    const user = await this.users.lockForUpdate(tx, change.orgId, change.userId);
    if (user === undefined) throw userNotFound();
    await this.rank.check(tx, change, change.userId);
    return user;
  }
}
