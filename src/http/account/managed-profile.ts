import { Injectable } from '@nestjs/common';
import { UserIdentitiesStore } from '../../domain/identity-providers/identities/user-identities.store.js';
import { IdentityProvidersStore } from '../../domain/identity-providers/identity-providers.store.js';
import { ProvisioningStore } from '../../domain/scim/provisioning.store.js';
import type { Manager, ProfileField } from '../../pages/account-profile-page.js';
import type { AccountVisit } from './account-visits.js';
import { furtherOf } from './own-profile.js';

/** What a provider may say of somebody's profile. The language has a page of its own. */
const OF_PROVIDERS = ['firstName', 'lastName', 'displayName', 'nickName'] as const;
const OF_DIRECTORIES: readonly ProfileField[] = [
  ...OF_PROVIDERS,
  'middleName',
  'profile',
  'zoneinfo',
  'streetAddress',
  'postalCode',
  'locality',
  'region',
  'country',
  'formatted',
];

/**
 * What of a profile somebody else sets again: a provider at each sign-in with it, or a directory that provisions the user by
 * SCIM. A change by the user would be undone. What they have said nothing of is the user's own.
 */
@Injectable()
export class ManagedProfile {
  constructor(
    private readonly identities: UserIdentitiesStore,
    private readonly providers: IdentityProvidersStore,
    private readonly provisioning: ProvisioningStore,
  ) {}

  async of({ session, user }: AccountVisit): Promise<ReadonlyMap<ProfileField, Manager>> {
    const { orgId, userId } = session;
    const [identities, entries] = await Promise.all([
      this.identities.listOfUser(orgId, userId),
      this.provisioning.entriesOf(orgId, [userId]),
    ]);
    const managed = new Map<ProfileField, Manager>();
    for (const { providerId } of identities) {
      const provider = await this.providers.findUsable(orgId, providerId);
      if (provider?.updateOnSignIn !== true) continue;
      for (const field of OF_PROVIDERS) {
        if (provider.mapping.fields[field] !== undefined) managed.set(field, { provider: provider.name });
      }
    }
    if (entries.has(userId)) for (const field of OF_DIRECTORIES) managed.set(field, 'directory');
    const { firstName, lastName, displayName } = user.profile;
    const said = { ...furtherOf(user.profile), firstName, lastName, displayName };
    for (const field of managed.keys()) if ((said[field] ?? '') === '') managed.delete(field);
    return managed;
  }
}
