import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, ProjectId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { Instance } from './instance.store.js';
import type { OrganizationLook } from './organization-look.js';

export interface NewOrganization {
  /** Kept when it comes along from elsewhere, made when it does not. */
  readonly id?: OrgId;
  readonly name: string;
  /** Lower case; counts as verified. */
  readonly primaryDomain: string;
}

export abstract class OrgsStore {
  /** @throws ApiError already-exists when another organization has verified the domain */
  abstract add(tx: Tx, organization: NewOrganization): Promise<{ id: OrgId; details: ResourceDetails }>;

  /** Undefined for an organization without a primary domain. */
  abstract findPrimaryDomain(tx: Tx, orgId: OrgId): Promise<string | undefined>;

  /** Undefined when no active organization has it as its primary domain. */
  abstract findByPrimaryDomain(domain: string): Promise<OrgId | undefined>;

  /** Of the organization that stands in where no application names one; undefined before the first set-up. */
  abstract findDefaultLook(): Promise<OrganizationLook | undefined>;

  /** Serialises the set-up of the instance over all processes until the transaction ends. */
  abstract lockSetUp(tx: Tx): Promise<void>;

  /** The instance row, under the lock; undefined before the first set-up. */
  abstract findInstance(tx: Tx): Promise<Instance | undefined>;

  abstract addInstance(tx: Tx, defaultOrgId: OrgId, apiProjectId: ProjectId): Promise<void>;
}
