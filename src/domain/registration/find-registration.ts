import { Injectable } from '@nestjs/common';
import { RegistrationPolicy } from './registration-policy.js';
import { RegistrationsStore, type PendingRegistration } from './registrations.store.js';

/** What the page of a registration is about. Whoever has its id may know that; it proves nothing. */
@Injectable()
export class FindRegistration {
  constructor(
    private readonly policy: RegistrationPolicy,
    private readonly registrations: RegistrationsStore,
  ) {}

  /** @returns `off` if its organization no longer allows registration; undefined if there is none */
  async find(id: string): Promise<PendingRegistration | 'off' | undefined> {
    const pending = await this.registrations.find(id);
    // whether strangers may register says nothing of those whom a provider of the organization sends
    if (pending === undefined || pending.external) return pending;
    return (await this.policy.allows(pending.orgId)) ? pending : 'off';
  }
}
