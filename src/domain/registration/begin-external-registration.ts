import { Injectable } from '@nestjs/common';
import type { RegistrationId, UserId } from '../shared/ids.js';
import { BeginRegistration, type RegistrationPlace } from './begin-registration.js';
import { RegistrationNames, type FoundNames } from './registration-names.js';

/**
 * Somebody signed in elsewhere, and nothing says that the address is theirs: they prove it as whoever registers does, in the
 * browser that they came back in. Until then there is no user, so that nobody can sit on somebody else's address with an
 * identity of their own (account pre-hijacking). Whether the address is known already is told to its mailbox alone.
 */
@Injectable()
export class BeginExternalRegistration {
  constructor(
    private readonly names: RegistrationNames,
    private readonly beginRegistration: BeginRegistration,
  ) {}

  /** @returns undefined for an address of a domain that another organization has verified */
  async find(orgId: RegistrationPlace['orgId'], email: string): Promise<FoundNames | undefined> {
    return await this.names.find(orgId, { loginName: email, email });
  }

  /** @param knownAs the account that has the address */
  async begin(
    place: RegistrationPlace,
    email: string,
    names: FoundNames,
    knownAs: UserId | undefined,
  ): Promise<RegistrationId> {
    const known = knownAs === undefined ? names.known : { ...names.known, byEmail: knownAs };
    const registration = {
      ...names,
      known,
      email,
      loginName: email,
      passwordHash: '',
      external: true,
    } as const;
    return await this.beginRegistration.execute(place, registration);
  }
}
