import { Injectable } from '@nestjs/common';
import { makeClientSecret } from '../applications/client-secret.js';
import { EventsStore } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import { sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { FindServiceUser, type ServiceUserChange } from './find-service-user.js';
import { ServiceUsersStore } from './service-users.store.js';

interface MadeSecret {
  /** What goes with the secret as `client_id`. */
  readonly clientId: string;
  /** Shown this once; only its hash is stored. */
  readonly clientSecret: string;
  readonly details: ResourceDetails;
}

/** The secret that a service user may have for client_credentials: one, replaced or removed. */
@Injectable()
export class ServiceUserSecrets {
  constructor(
    private readonly find: FindServiceUser,
    private readonly serviceUsers: ServiceUsersStore,
    private readonly events: EventsStore,
  ) {}

  /**
   * Makes a secret in place of the one before, which ends with all that the user obtained.
   * @throws ApiError not-found, failed-precondition, permission-denied
   */
  async make(tx: Tx, change: ServiceUserChange): Promise<MadeSecret> {
    const { userName } = await this.find.lockActive(tx, change);
    const clientSecret = makeClientSecret();
    const { orgId, userId } = change;
    const madeBy = await this.find.makerOf(tx, change);
    const details = await this.serviceUsers.setSecret(tx, orgId, userId, sha256(clientSecret), madeBy);
    await this.events.append(tx, userEvent(change, details, 'user.machine.secret.set'));
    return { clientId: userName, clientSecret, details };
  }

  /** @throws ApiError as above, failed-precondition when there is none */
  async remove(tx: Tx, change: ServiceUserChange): Promise<ResourceDetails> {
    const { hasSecret } = await this.find.lock(tx, change);
    if (!hasSecret) throw new ApiError('failed-precondition', 'User has no secret', 'COMMAND-coi82n');
    const details = await this.serviceUsers.setSecret(tx, change.orgId, change.userId, null, null);
    await this.events.append(tx, userEvent(change, details, 'user.machine.secret.removed'));
    return details;
  }
}
