import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { EventsStore } from '../../events/events.store.js';
import type { Acting } from '../../permissions/acting.js';
import { Clock } from '../../shared/clock.js';
import { ApiError } from '../../shared/errors.js';
import { NEVER, requireFuture } from '../../shared/expiry.js';
import type { ApplicationKeyId, ClientId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { makeAssertionKey, readPublicKey } from '../../signing-keys/assertion-key.js';
import { applicationNotFound } from '../application.js';
import { ApplicationsStore, type ApplicationKey, type ApplicationPlace } from '../applications.store.js';
import { ChangeManagementAccess } from '../change-management-access.js';
import { takesKeys, type OidcConfig } from '../oidc-config.js';

/** What is checked, and made where it had to be, before the transaction begins. */
interface PreparedKey {
  readonly clientId: ClientId;
  readonly publicJwk: JWK;
  /** Of a pair that we made; it goes out with the answer and stays nowhere. */
  readonly privatePem: string | undefined;
  readonly expiresAt: Date;
}

export interface AddedKey extends ApplicationKey {
  /** The key file (protocol §8.6) with the private half, shown this once. Undefined where the key was supplied. */
  readonly keyFile: object | undefined;
}

/** Gives an application a key for private_key_jwt, or that of its certificate: `prepare` it, then `store` it in a transaction. */
@Injectable()
export class AddApplicationKey {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly access: ChangeManagementAccess,
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
    const application = await this.applications.find(place);
    if (application === undefined) throw applicationNotFound();
    requireKeyMethod(application.config);
    requireFuture(expiresAt, this.clock.nowMs());
    const made = publicKey === undefined ? await makeAssertionKey() : undefined;
    return {
      clientId: application.clientId,
      publicJwk: made?.publicJwk ?? readPublicKey(publicKey),
      privatePem: made?.privatePem,
      expiresAt: expiresAt ?? NEVER,
    };
  }

  /**
   * @param id kept when it comes along from elsewhere
   * @throws ApiError not-found, failed-precondition, when the application was removed or changed meanwhile;
   * already-exists for the id; permission-denied where the application has access that the actor could not give
   */
  async store(
    tx: Tx,
    place: ApplicationPlace,
    prepared: PreparedKey,
    acting: Acting,
    id?: ApplicationKeyId,
  ): Promise<AddedKey> {
    const { clientId, publicJwk, privatePem, expiresAt } = prepared;
    const application = await this.applications.lock(tx, place);
    if (application === undefined) throw applicationNotFound();
    requireKeyMethod(application);
    await this.access.requireMayChange(tx, acting, place);
    const key = await this.applications.addKey(tx, place, publicJwk, expiresAt, id);
    await this.events.append(tx, {
      orgId: place.orgId,
      aggregateType: 'application_key',
      aggregateId: key.id,
      sequence: key.details.sequence,
      type: 'application.key.added',
      actorId: acting.actorId,
      data: { applicationId: place.id },
    });
    if (privatePem === undefined) return { ...key, keyFile: undefined };
    const expirationDate = expiresAt.toISOString();
    const keyFile = {
      type: 'application',
      keyId: key.id,
      key: privatePem,
      expirationDate,
      appId: place.id,
      clientId,
    };
    return { ...key, keyFile };
  }
}

/** A key that could never be used would only look like a way in. */
function requireKeyMethod({ authMethod, jwksUri }: Pick<OidcConfig, 'authMethod' | 'jwksUri'>): void {
  if (jwksUri !== null) {
    throw new ApiError('failed-precondition', 'The application publishes its keys itself, at its jwksUri');
  }
  if (takesKeys(authMethod)) return;
  throw new ApiError(
    'failed-precondition',
    'Only an application with the method private_key_jwt or self_signed_tls_client_auth can have keys',
    'COMMAND-Dff54',
  );
}
