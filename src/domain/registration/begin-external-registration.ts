import { Injectable } from '@nestjs/common';
import type { PendingIdentity } from '../authorize/auth-request.js';
import { AuthRequestsStore } from '../authorize/auth-requests.store.js';
import type { RegistrationId } from '../shared/ids.js';
import { BeginRegistration, type RegistrationPlace } from './begin-registration.js';
import { RegistrationNames, type FoundNames } from './registration-names.js';

/**
 * A user signed in at a provider with an unverified address: they prove it as in any registration, in the
 * browser that they returned in. Until then no user is created, so that nobody can occupy somebody else's address with an
 * identity of their own (account pre-hijacking). Whether the address is known already is revealed to its mailbox alone.
 */
@Injectable()
export class BeginExternalRegistration {
  constructor(
    private readonly names: RegistrationNames,
    private readonly beginRegistration: BeginRegistration,
    private readonly authRequests: AuthRequestsStore,
  ) {}

  /** @returns undefined for an address of a domain that another organization has verified */
  async find(orgId: RegistrationPlace['orgId'], email: string): Promise<FoundNames | undefined> {
    return await this.names.find(orgId, { loginName: email, email });
  }

  /** @param pending whose `userId` is the account that has the address. No registration that began before it is of use to it */
  async begin(
    place: Omit<RegistrationPlace, 'orgId'>,
    email: string,
    names: FoundNames,
    pending: Omit<PendingIdentity, 'keptAt' | 'registrationId'>,
  ): Promise<RegistrationId> {
    const { orgId, userId } = pending;
    const known = userId === null ? names.known : { ...names.known, byEmail: userId };
    const registrationId = await this.beginRegistration.execute(
      { ...place, orgId },
      { ...names, known, email, loginName: email, passwordHash: '', external: true },
    );
    await this.authRequests.keepIdentity(place.flowId, { ...pending, registrationId });
    return registrationId;
  }
}
