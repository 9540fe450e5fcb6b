import { Injectable } from '@nestjs/common';
import { UserIdentitiesStore } from '../../domain/identity-providers/identities/user-identities.store.js';
import { IdentityProvidersStore } from '../../domain/identity-providers/identity-providers.store.js';
import { rulesOf } from '../../domain/identity-providers/rules-of-kind.js';
import { ProvisioningStore } from '../../domain/scim/provisioning.store.js';
import { ScimTokensStore } from '../../domain/scim/scim-tokens.store.js';
import type { Manager, ProfileField } from '../../pages/account-profile-page.js';
import type { AccountVisit } from './account-visits.js';
import { ADDRESS } from './own-profile.js';

/** What a provider may say of somebody's profile. The language has a page of its own. */
const OF_PROVIDERS = ['firstName', 'lastName', 'displayName', 'nickName'] as const;
const OF_DIRECTORIES: readonly ProfileField[] = [
  ...OF_PROVIDERS,
  'middleName',
  'profile',
  'zoneinfo',
  ...ADDRESS,
];

/**
 * What of a profile somebody else may set again: a provider at each sign-in with it, or a directory that provisions the user by
 * SCIM. Whether they do is not known until then: neither says everything of everybody. So the user is told, and may change it.
 */
@Injectable()
export class ManagedProfile {
  constructor(
    private readonly identities: UserIdentitiesStore,
    private readonly providers: IdentityProvidersStore,
    private readonly provisioning: ProvisioningStore,
    private readonly scimTokens: ScimTokensStore,
  ) {}

  async of({ session }: AccountVisit): Promise<ReadonlyMap<ProfileField, Manager>> {
    const { orgId, userId } = session;
    const [identities, entries] = await Promise.all([
      this.identities.listOfUser(orgId, userId),
      this.provisioning.entriesOf(orgId, [userId]),
    ]);
    const managed = new Map<ProfileField, Manager>();
    for (const { providerId } of identities) {
      const provider = await this.providers.findUsable(orgId, providerId);
      if (provider?.updateOnSignIn !== true) continue;
      const usual = rulesOf(provider).fields;
      for (const field of OF_PROVIDERS) {
        const claim = provider.mapping.fields[field] ?? usual[field] ?? '';
        if (claim !== '') managed.set(field, { provider: provider.name });
      }
    }
    if (entries.has(userId) && (await this.hasDirectory(session))) {
      for (const field of OF_DIRECTORIES) managed.set(field, 'directory');
    }
    return managed;
  }

  /** A directory whose tokens are gone says nothing any more. */
  private async hasDirectory({ orgId }: AccountVisit['session']): Promise<boolean> {
    const { items } = await this.scimTokens.list(orgId, { limit: 1, offset: 0, ascending: true });
    return items.length > 0;
  }
}
