import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, ProjectId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { Instance } from './instance.store.js';
import type { OrganizationBranding } from './organization-branding.js';

export interface NewOrganization {
  /** Kept when it comes along from elsewhere, made when it does not. */
  readonly id?: OrgId;
  readonly name: string;
  /** Lower case; counts as verified. */
  readonly primaryDomain: string;
}

/** How a request names an organization; a domain is in lower case. */
export interface AskedOrganization {
  readonly by: 'id' | 'domain';
  readonly value: string;
}

/** An organization that somebody named, with what its pages look like. */
export interface FoundOrganization {
  readonly id: OrgId;
  readonly branding: OrganizationBranding;
}

export abstract class OrganizationsStore {
  /** @throws ApiError already-exists when another organization has verified the domain */
  abstract add(tx: Tx, organization: NewOrganization): Promise<{ id: OrgId; details: ResourceDetails }>;

  /** Undefined for an organization without a primary domain. */
  abstract findPrimaryDomain(tx: Tx, orgId: OrgId): Promise<string | undefined>;

  /** By its id or its primary domain; undefined when there is no such active organization. */
  abstract findAsked(asked: AskedOrganization): Promise<FoundOrganization | undefined>;

  /** Of the organization that stands in where no application names one; undefined before the first set-up. */
  abstract findDefaultBranding(): Promise<OrganizationBranding | undefined>;

  /** Serialises the set-up of the instance over all processes until the transaction ends. */
  abstract lockSetUp(tx: Tx): Promise<void>;

  /** The instance row, under the lock; undefined before the first set-up. */
  abstract findInstance(tx: Tx): Promise<Instance | undefined>;

  abstract addInstance(tx: Tx, defaultOrgId: OrgId, apiProjectId: ProjectId): Promise<void>;
}
