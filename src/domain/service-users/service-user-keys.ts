import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import { Clock } from '../shared/clock.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import { NEVER, requireFuture } from '../shared/expiry.js';
import type { OrgId, ServiceUserKeyId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import { makeAssertionKey, readPublicKey } from '../signing-keys/assertion-key.js';
import { FindServiceUser, type ServiceUserChange } from './find-service-user.js';
import { ServiceUsersStore, type ServiceUserKey } from './service-users.store.js';

/** What is checked, and made where it had to be, before the transaction begins. */
interface PreparedServiceUserKey {
  readonly publicJwk: JWK;
  /** Of a pair that we made; it goes out with the answer and stays nowhere. */
  readonly privatePem: string | undefined;
  readonly expiresAt: Date;
}

interface AddedServiceUserKey extends ServiceUserKey {
  /** The key file (protocol §8.6) with the private half, shown this once. Undefined where the key was supplied. */
  readonly keyFile: object | undefined;
}

/** A key of nobody, and one of another user, alike. */
export function serviceUserKeyNotFound(): ApiError {
  return new ApiError('not-found', 'Key could not be found', 'QUERY-Tha6f');
}

/** The keys that a service user signs its assertions with (RFC 7523): made or supplied, looked at, taken away. */
@Injectable()
export class ServiceUserKeys {
  constructor(
    private readonly find: FindServiceUser,
    private readonly serviceUsers: ServiceUsersStore,
    private readonly events: EventsStore,
    private readonly clock: Clock,
  ) {}

  /**
   * @param publicKey of a pair that the caller keeps; without one a pair is made
   * @throws ApiError not-found, failed-precondition, invalid-argument
   */
  async prepare(
    { orgId, userId }: ServiceUserChange,
    publicKey: unknown,
    expiresAt: Date | undefined,
  ): Promise<PreparedServiceUserKey> {
    await this.find.require(orgId, userId);
    requireFuture(expiresAt, this.clock.nowMs());
    const made = publicKey === undefined ? await makeAssertionKey() : undefined;
    return {
      publicJwk: made?.publicJwk ?? readPublicKey(publicKey),
      privatePem: made?.privatePem,
      expiresAt: expiresAt ?? NEVER,
    };
  }

  /** @throws ApiError as above, permission-denied */
  async store(
    tx: Tx,
    change: ServiceUserChange,
    prepared: PreparedServiceUserKey,
  ): Promise<AddedServiceUserKey> {
    const { orgId, userId } = change;
    const { publicJwk, privatePem, expiresAt } = prepared;
    await this.find.lockActive(tx, change);
    const madeBy = await this.find.makerOf(tx, change);
    const key = await this.serviceUsers.addKey(tx, { orgId, userId, publicJwk, expiresAt, madeBy });
    await this.record(tx, change, key.id, key.details, 'user.machine.key.added');
    if (privatePem === undefined) return { ...key, keyFile: undefined };
    const expirationDate = expiresAt.toISOString();
    const keyFile = { type: 'serviceaccount', keyId: key.id, key: privatePem, expirationDate, userId };
    return { ...key, keyFile };
  }

  /**
   * Stores an imported key under its id; also for a user who is not active, who cannot authenticate with it.
   * @throws ApiError not-found, failed-precondition, permission-denied, already-exists for the id
   */
  async keep(
    tx: Tx,
    change: ServiceUserChange,
    prepared: PreparedServiceUserKey,
    id: ServiceUserKeyId,
  ): Promise<void> {
    const { orgId, userId } = change;
    const { publicJwk, expiresAt } = prepared;
    await this.find.lock(tx, change);
    const madeBy = await this.find.makerOf(tx, change);
    const key = await this.serviceUsers.addKey(tx, { id, orgId, userId, publicJwk, expiresAt, madeBy });
    await this.record(tx, change, key.id, key.details, 'user.machine.key.added');
  }

  /** @throws ApiError not-found, failed-precondition */
  async list(orgId: OrgId, userId: UserId, page: PageQuery): Promise<Page<ServiceUserKey>> {
    await this.find.require(orgId, userId);
    return await this.serviceUsers.listKeys(orgId, userId, page);
  }

  /** @throws ApiError not-found, failed-precondition */
  async get(orgId: OrgId, userId: UserId, id: ServiceUserKeyId): Promise<ServiceUserKey> {
    await this.find.require(orgId, userId);
    const key = await this.serviceUsers.findKey(orgId, userId, id);
    if (key === undefined) throw serviceUserKeyNotFound();
    return key;
  }

  /**
   * From the moment this is committed no replica takes the key, and none the tokens that the user holds.
   * @throws ApiError not-found, failed-precondition, permission-denied
   */
  async remove(tx: Tx, change: ServiceUserChange, id: ServiceUserKeyId): Promise<ResourceDetails> {
    await this.find.lock(tx, change);
    const details = await this.serviceUsers.removeKey(tx, change.orgId, change.userId, id);
    if (details === undefined) throw serviceUserKeyNotFound();
    await this.record(tx, change, id, details, 'user.machine.key.removed');
    return details;
  }

  private async record(
    tx: Tx,
    { orgId, userId, actorId }: ServiceUserChange,
    id: ServiceUserKeyId,
    { sequence }: ResourceDetails,
    type: EventType,
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'machine_key',
      aggregateId: id,
      sequence,
      type,
      actorId,
      data: { userId },
    });
  }
}
