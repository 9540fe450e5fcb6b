import { Injectable } from '@nestjs/common';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import type { AuthRequestId, OrgId, RegistrationId, UserId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { randomId } from '../shared/random.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import type { RegistrationFields } from './read-registration.js';
import { RegistrationCodes } from './registration-codes.js';
import type { FoundNames } from './registration-names.js';
import { RegistrationsStore } from './registrations.store.js';

/** Where a registration begins. */
export interface RegistrationPlace {
  readonly orgId: OrgId;
  readonly flowId: AuthRequestId;
  /** BCP 47 tag of the page, for the mail and the account. */
  readonly locale: string;
  /** Where the request came from. */
  readonly source: string;
}

/** What was typed, found good. */
interface AdmittedRegistration extends RegistrationFields, FoundNames {
  readonly passwordHash: string;
  /** Of somebody who signed in elsewhere; the hash is empty then. */
  readonly external?: boolean;
}

/**
 * Puts a registration on file and sends what is due, in one transaction: a code, or for an address that is known
 * already, a notice to its owner.
 */
@Injectable()
export class BeginRegistration {
  constructor(
    private readonly registrations: RegistrationsStore,
    private readonly codes: RegistrationCodes,
    private readonly enqueueNotification: EnqueueNotification,
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  async execute(place: RegistrationPlace, registration: AdmittedRegistration): Promise<RegistrationId> {
    const id = randomId() as RegistrationId;
    await this.unitOfWork.run((tx) => this.store(tx, id, place, registration));
    return id;
  }

  private async store(
    tx: Tx,
    id: RegistrationId,
    { orgId, flowId, locale, source }: RegistrationPlace,
    { known, passwordHash, external = false, ...names }: AdmittedRegistration,
  ): Promise<void> {
    const isFree = known.byEmail === undefined && known.byUserName === undefined;
    const code = this.codes.make(id, names.email);
    const secrets = isFree ? { passwordHash, code } : undefined;
    const expiresAt = await this.registrations.add(tx, {
      id,
      orgId,
      flowId,
      locale,
      ...names,
      external,
      source: this.codes.sourceOf(source),
      secrets,
    });
    const outcome = expiresAt === undefined ? 'too many for one address' : isFree ? 'code sent' : 'known';
    this.log.info('registration begun', { orgId, outcome });
    if (expiresAt === undefined) return;
    if (isFree) return await this.codes.send(tx, orgId, id, code, expiresAt);
    if (known.byEmail !== undefined) await this.notifyOwner(tx, orgId, known.byEmail);
  }

  private async notifyOwner(tx: Tx, orgId: OrgId, userId: UserId): Promise<void> {
    const template = 'account_exists';
    await this.enqueueNotification.notify(tx, { orgId, userId, template });
  }
}
