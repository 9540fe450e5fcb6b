import { Injectable } from '@nestjs/common';
import { ManageDomains } from '../../organizations/manage-domains.js';
import { ManageOrganizations } from '../../organizations/manage-organizations.js';
import { OrganizationsStore } from '../../organizations/organizations.store.js';
import { ApiError } from '../../shared/errors.js';
import { requireGivenId } from '../../shared/given-id.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { Added, Item, ItemPlace } from './item.js';

/** An organization, its state and its domains. */
@Injectable()
export class AddOrganizationItem {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly manageOrganizations: ManageOrganizations,
    private readonly manageDomains: ManageDomains,
  ) {}

  /** @throws ApiError as the use cases do */
  async execute(tx: Tx, place: ItemPlace, item: Item<'org' | 'org_state' | 'domain'>): Promise<Added> {
    switch (item.type) {
      case 'org':
        return await this.organization(tx, place, item);
      case 'org_state':
        return await this.deactivate(tx, place);
      case 'domain':
        return await this.domain(tx, place, item);
    }
  }

  private async organization(tx: Tx, { orgId, actorId }: ItemPlace, item: Item<'org'>): Promise<Added> {
    if ((await this.organizations.find(orgId)) !== undefined) {
      throw new ApiError('already-exists', 'Organisation already exists', 'V3-DKcYh');
    }
    requireGivenId('orgId', orgId);
    const { name, primaryDomain } = item;
    await this.manageOrganizations.add(tx, { id: orgId, name, primaryDomain }, actorId);
    return 'added';
  }

  private async deactivate(tx: Tx, { orgId, actorId }: ItemPlace): Promise<Added> {
    if ((await this.organizations.find(orgId))?.state === 'inactive') return 'there';
    await this.manageOrganizations.deactivate(tx, orgId, actorId);
    return 'added';
  }

  /** The primary one came with its organization, where that was made. */
  private async domain(tx: Tx, place: ItemPlace, item: Item<'domain'>): Promise<Added> {
    const { orgId } = place;
    const known = await this.organizations.findDomain(orgId, item.domain);
    if (known?.verified === true && known.primary && item.primary) return 'there';
    await this.manageDomains.add(tx, orgId, item.domain, place, item.verified);
    return 'added';
  }
}
