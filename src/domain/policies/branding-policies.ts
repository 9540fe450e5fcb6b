import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { changedFields } from '../shared/changed-fields.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { BrandingPolicy } from './branding-policy.js';
import { isLogoName, type Logo } from './logo.js';
import { PoliciesStore, type StoredPolicy } from './policies.store.js';

/** An organization's branding policy. */
@Injectable()
export class BrandingPolicies {
  constructor(
    private readonly policies: PoliciesStore,
    private readonly events: EventsStore,
  ) {}

  /** Undefined for an organization that has set none. */
  async findStored(orgId: OrgId): Promise<StoredPolicy<BrandingPolicy> | undefined> {
    return await this.policies.find('branding', orgId);
  }

  /** The picture of that name, if an organization has it now. */
  async findLogo(name: string): Promise<Logo | undefined> {
    return isLogoName(name) ? await this.policies.findLogo(name) : undefined;
  }

  /** As a whole: what is not given goes back to its default. Of two at once the last wins, and both count. */
  async replace(tx: Tx, orgId: OrgId, policy: BrandingPolicy, actorId: UserId): Promise<ResourceDetails> {
    const before = (await this.policies.lockForUpdate(tx, 'branding', orgId)) ?? {};
    const details = await this.policies.replace(tx, 'branding', orgId, policy, true);
    await this.events.append(tx, {
      orgId,
      aggregateType: 'branding_policy',
      aggregateId: orgId,
      sequence: details.sequence,
      type: 'organization.branding_policy.changed',
      actorId,
      fields: changedFields(comparable(before), comparable(policy)),
    });
    return details;
  }
}

/** Two logos are the same picture when they have the same name. */
function comparable({ logo, ...rest }: BrandingPolicy): object {
  return { ...rest, logo: logo?.name };
}
