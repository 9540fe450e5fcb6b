import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { EventsStore } from '../../events/events.store.js';
import { makeAssertionKey, readPublicKey } from '../../keys/assertion-key.js';
import { Clock } from '../../shared/clock.js';
import { ApiError } from '../../shared/errors.js';
import type { UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import {
  type ApplicationKey,
  ApplicationKeysStore,
  type ApplicationPlace,
  type KeyedApplication,
} from './application-keys.store.js';

/** A key without an end ends then (contract §7.1). */
const NEVER = new Date('9999-12-31T23:59:59Z');

/** What is checked, and made where it had to be, before the transaction begins. */
export interface PreparedKey {
  readonly place: ApplicationPlace;
  readonly application: KeyedApplication;
  readonly publicJwk: JWK;
  /** Of a pair that we made; it goes out with the answer and stays nowhere. */
  readonly privatePem: string | undefined;
  readonly expiresAt: Date;
}

export interface AddedKey extends ApplicationKey {
  /** The key file (contract §8.6) with the private half, shown this once. Undefined where the key was supplied. */
  readonly keyFile: object | undefined;
}

/** An application that no project of the organization holds looks like one of another organization. */
export function applicationNotFound(): ApiError {
  return new ApiError('not-found', 'Application could not be found', 'COMMAND-ajs83');
}

/** Gives an application a key for private_key_jwt: `prepare` it, then `store` it in a transaction. */
@Injectable()
export class AddApplicationKey {
  constructor(
    private readonly keys: ApplicationKeysStore,
    private readonly events: EventsStore,
    private readonly clock: Clock,
  ) {}

  /**
   * @param publicKey of a pair that the caller keeps; without one a pair is made
   * @throws ApiError not-found, failed-precondition, invalid-argument
   */
  async prepare(
    place: ApplicationPlace,
    publicKey: unknown,
    expiresAt: Date | undefined,
  ): Promise<PreparedKey> {
    const application = await this.keys.findApplication(place);
    if (application === undefined) throw applicationNotFound();
    if (application.authMethod !== 'private_key_jwt') {
      throw new ApiError(
        'failed-precondition',
        'Only an application with the method private_key_jwt can have keys',
        'COMMAND-Dff54',
      );
    }
    if (expiresAt !== undefined && expiresAt.getTime() <= this.clock.nowMs()) {
      throw new ApiError('invalid-argument', 'expirationDate must lie in the future', 'DOMAIN-dv3t5');
    }
    const made = publicKey === undefined ? await makeAssertionKey() : undefined;
    return {
      place,
      application,
      publicJwk: made?.publicJwk ?? readPublicKey(publicKey),
      privatePem: made?.privatePem,
      expiresAt: expiresAt ?? NEVER,
    };
  }

  /** @throws ApiError not-found when the application went meanwhile */
  async store(tx: Tx, { place, application, ...key }: PreparedKey, actorId: UserId): Promise<AddedKey> {
    const { publicJwk, privatePem, expiresAt } = key;
    if ((await this.keys.findApplication(place, tx)) === undefined) throw applicationNotFound();
    const added = await this.keys.add(tx, { ...place, publicJwk, expiresAt });
    await this.events.append(tx, {
      orgId: place.orgId,
      aggregateType: 'application_key',
      aggregateId: added.id,
      sequence: added.details.sequence,
      type: 'application.key.added',
      actorId,
      data: { applicationId: place.applicationId, generated: privatePem !== undefined },
    });
    if (privatePem === undefined) return { ...added, keyFile: undefined };
    const keyFile = {
      type: 'application',
      keyId: added.id,
      key: privatePem,
      expirationDate: expiresAt.toISOString(),
      appId: place.applicationId,
      clientId: application.clientId,
    };
    return { ...added, keyFile };
  }
}
