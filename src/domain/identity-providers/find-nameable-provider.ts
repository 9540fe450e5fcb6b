import { Injectable } from '@nestjs/common';
import type { Acting } from '../permissions/acting.js';
import { EffectiveRoles } from '../permissions/effective-roles.js';
import { allows } from '../permissions/permissions.js';
import type { IdentityProviderId, OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { IdentityProvider } from './identity-provider.js';
import { IdentityProvidersStore } from './identity-providers.store.js';
import { identityProviderNotFound } from './manage-identity-providers.js';

/**
 * A subject of an instance's provider may be anybody's, of any organization: whoever could name it for one of their own users
 * would keep its owner out. So only whoever keeps the provider names subjects of it.
 */
@Injectable()
export class FindNameableProvider {
  constructor(
    private readonly providers: IdentityProvidersStore,
    private readonly roles: EffectiveRoles,
  ) {}

  /** @throws ApiError not-found, also for one whose subjects the actor may not name */
  async execute(
    tx: Tx,
    change: Acting & { readonly orgId: OrgId },
    id: IdentityProviderId,
  ): Promise<IdentityProvider> {
    const own = await this.providers.find({ orgId: change.orgId, id }, tx);
    if (own !== undefined) return own.provider;
    const held = await this.roles.everywhere(change, tx);
    const ofInstance = held.filter(({ orgId }) => orgId === null).map(({ role }) => role);
    if (!allows(ofInstance, 'iam.idp.write')) throw identityProviderNotFound();
    const shared = await this.providers.find({ orgId: null, id }, tx);
    if (shared === undefined) throw identityProviderNotFound();
    return shared.provider;
  }
}
