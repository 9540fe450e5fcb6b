import { Injectable } from '@nestjs/common';
import { AuthorizationsStore } from '../authorizations/authorizations.store.js';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import type { ManagementAccess } from '../permissions/management-access.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { ApplicationId, OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { ConsentsStore, type ConsentPlace, type ConsentRecord } from './consents.store.js';

interface Withdrawal {
  readonly actorId: UserId | null;
  readonly reason: string;
}

export function consentNotFound(): ApiError {
  return new ApiError('not-found', 'Consent could not be found', 'CONSENT-4mTq1');
}

/** Records that a user agrees, and takes it back with all that came of it. */
@Injectable()
export class ManageConsents {
  constructor(
    private readonly consents: ConsentsStore,
    private readonly authorizations: AuthorizationsStore,
    private readonly events: EventsStore,
  ) {}

  /**
   * @param scopes of a sign-in that had to be agreed to
   * @returns false, with nothing written, when the user or the application has gone meanwhile
   */
  async give(
    tx: Tx,
    place: ConsentPlace,
    access: ManagementAccess,
    scopes: readonly string[] = [],
  ): Promise<boolean> {
    const details = await this.consents.give(tx, place, access, scopes);
    if (details === undefined) return false;
    await this.record(tx, place, details, { type: 'consent.given', actorId: place.userId, access });
    return true;
  }

  async listOfUser(orgId: OrgId, userId: UserId): Promise<readonly ConsentRecord[]> {
    return await this.consents.listOfUser(orgId, userId);
  }

  /**
   * Codes, access and refresh tokens that came of it are dead on every replica when the transaction commits. The
   * consents go first: a sign-in under way that had locked one has opened its grant by then, and one that comes later
   * finds none.
   *
   * @param why where it is not the user who takes it back
   * @throws ApiError not-found for one that there is not
   */
  async withdraw(
    tx: Tx,
    user: { readonly orgId: OrgId; readonly userId: UserId },
    only?: ApplicationId,
    why?: Withdrawal,
  ): Promise<readonly ResourceDetails[]> {
    const withdrawn = await this.withdrawGiven(tx, user, only, why);
    if (only !== undefined && withdrawn.length === 0) throw consentNotFound();
    return withdrawn;
  }

  /** The same, where that there is none is as good. */
  async withdrawGiven(
    tx: Tx,
    user: { readonly orgId: OrgId; readonly userId: UserId },
    only?: ApplicationId,
    why: Withdrawal = { actorId: user.userId, reason: 'consent_withdrawn' },
  ): Promise<readonly ResourceDetails[]> {
    const withdrawn = await this.consents.withdraw(tx, user, only);
    for (const { applicationId, signsIn, details } of withdrawn) {
      if (signsIn) await this.authorizations.revokeHeld(tx, user, applicationId, why.reason);
      else await this.authorizations.revokeForApi(tx, applicationId, why.reason, user);
      await this.record(tx, { ...user, applicationId }, details, { type: 'consent.withdrawn', ...why });
    }
    return withdrawn.map(({ details }) => details);
  }

  private async record(
    tx: Tx,
    { orgId, userId, applicationId }: ConsentPlace,
    { sequence }: ResourceDetails,
    {
      type,
      actorId,
      ...data
    }: { readonly type: EventType } & Partial<Withdrawal> & { readonly access?: ManagementAccess },
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'consent',
      aggregateId: `${userId} ${applicationId}`,
      sequence,
      type,
      actorId: actorId ?? null,
      data: { applicationId, ...data },
    });
  }
}
