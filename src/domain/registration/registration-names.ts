import { Injectable } from '@nestjs/common';
import { ApiError } from '../shared/errors.js';
import type { OrgId } from '../shared/ids.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { domainOfUserName, userNameIn } from '../users/names/user-name.js';
import { UsersStore } from '../users/users.store.js';
import type { RegistrationFields } from './read-registration.js';
import { RegistrationsStore, type KnownNames } from './registrations.store.js';

/** What the names of a registration come to in its organization. */
export interface FoundNames {
  readonly userName: string;
  readonly emailCanonical: string;
  readonly known: KnownNames;
}

/** Holds the names that somebody typed against those that there are. */
@Injectable()
export class RegistrationNames {
  constructor(
    private readonly users: UsersStore,
    private readonly registrations: RegistrationsStore,
  ) {}

  /** @returns undefined when another organization has verified the domain that the login name ends with */
  async find(
    orgId: OrgId,
    { loginName, email }: Pick<RegistrationFields, 'loginName' | 'email'>,
  ): Promise<FoundNames | undefined> {
    const userName = await this.userNameOf(orgId, loginName);
    if (userName === undefined) return undefined;
    const emailCanonical = canonicalName(email);
    const known = await this.registrations.findKnown(orgId, canonicalName(userName), emailCanonical);
    return { userName, emailCanonical, known };
  }

  private async userNameOf(orgId: OrgId, loginName: string): Promise<string | undefined> {
    const [reserved] = await this.users.reserve([domainOfUserName(loginName)]);
    try {
      return userNameIn(orgId, loginName, reserved?.domainOwner);
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'invalid-argument') return undefined;
      throw error;
    }
  }
}
