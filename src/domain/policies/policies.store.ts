import type { ResourceDetails } from '../shared/details.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { BrandingPolicy } from './branding-policy.js';
import type { Logo, LogoName } from './logo.js';

/** A policy that an organization has set. One that never did has none, and the defaults hold. */
export interface StoredPolicy<Policy> {
  readonly policy: Policy;
  readonly details: ResourceDetails;
}

/**
 * `lock…` reads a policy and keeps it from everybody else until the transaction ends, so that two who replace it at
 * once do so one after the other and each knows what it replaced. Undefined when the organization had none.
 */
export abstract class PoliciesStore {
  abstract findBranding(orgId: OrgId): Promise<StoredPolicy<BrandingPolicy> | undefined>;
  abstract lockBrandingForUpdate(tx: Tx, orgId: OrgId): Promise<BrandingPolicy | undefined>;
  /** After `lockBrandingForUpdate` in the same transaction. */
  abstract replaceBranding(tx: Tx, orgId: OrgId, policy: BrandingPolicy): Promise<ResourceDetails>;

  /** The picture that some organization has now under this name. */
  abstract findLogo(name: LogoName): Promise<Logo | undefined>;
}
