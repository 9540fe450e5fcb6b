import { Injectable } from '@nestjs/common';
import { applicationNotFound } from '../../applications/application.js';
import { ApplicationsStore, type ApplicationPlace } from '../../applications/applications.store.js';
import { ChangeManagementAccess } from '../../applications/change-management-access.js';
import type { EventType } from '../../events/event-types.js';
import { EventsStore } from '../../events/events.store.js';
import type { Acting } from '../../permissions/acting.js';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import { randomToken, sha256 } from '../../shared/random.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { ClientRegistrationsStore } from '../client-registrations.store.js';

/** Scanners for leaked secrets find it by this. */
const PREFIX = 'reg_';

export function newRegistrationToken(): string {
  return PREFIX + randomToken(32);
}

/** Shown this once; only its hash is stored. */
export interface ReplacedRegistrationToken {
  readonly details: ResourceDetails;
  readonly registrationAccessToken: string;
}

/**
 * The registration access token of an application (RFC 7592 §3), as those who look after the application see to it: where one
 * leaked, another takes its place, or none does. The one before is dead when the transaction commits.
 */
@Injectable()
export class RegistrationTokens {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly registrations: ClientRegistrationsStore,
    private readonly access: ChangeManagementAccess,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found, failed-precondition, permission-denied where it has access that the actor could not give */
  async replace(tx: Tx, place: ApplicationPlace, acting: Acting): Promise<ReplacedRegistrationToken> {
    const registrationAccessToken = newRegistrationToken();
    const details = await this.put(tx, place, acting, registrationAccessToken, 'changed');
    return { details, registrationAccessToken };
  }

  /** The application stays as it is, and nobody but its owners changes it. @throws ApiError as `replace` */
  async end(tx: Tx, place: ApplicationPlace, acting: Acting): Promise<ResourceDetails> {
    // the hash of a token that nobody gets
    return await this.put(tx, place, acting, newRegistrationToken(), 'removed');
  }

  private async put(
    tx: Tx,
    place: ApplicationPlace,
    acting: Acting,
    token: string,
    change: 'changed' | 'removed',
  ): Promise<ResourceDetails> {
    // a change by the token waits here, or is whole before (ReplaceRegistration)
    if ((await this.applications.lock(tx, place)) === undefined) throw applicationNotFound();
    await this.access.requireMayChange(tx, acting, place);
    if (!(await this.registrations.replaceToken(tx, place.id, sha256(token)))) {
      throw new ApiError('failed-precondition', 'The application has no registration access token');
    }
    const details = await this.applications.noteChange(tx, place);
    if (details === undefined) throw applicationNotFound();
    const { orgId, projectId, id } = place;
    await this.events.append(tx, {
      orgId,
      aggregateType: 'application',
      aggregateId: id,
      sequence: details.sequence,
      type: `application.registration_token.${change}` satisfies EventType,
      actorId: acting.actorId,
      data: { projectId },
    });
    return details;
  }
}
