import type { ResourceDetails } from '../shared/details.js';
import type { OrgId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { OrganizationBranding } from './organization-branding.js';

export interface NewOrganization {
  /** Kept when it comes along from elsewhere, made when it does not. */
  readonly id?: OrgId;
  readonly name: string;
  /** Lower case; counts as verified. */
  readonly primaryDomain: string;
}

/** What an organization owns rests while it is inactive, and works again afterwards. */
export type OrganizationState = 'active' | 'inactive';

/** An organization as those see it who administer it. One that was removed is not found by anything. */
export interface OrganizationRecord {
  readonly id: OrgId;
  readonly name: string;
  readonly state: OrganizationState;
  /** Empty for an organization without one. */
  readonly primaryDomain: string;
  readonly details: ResourceDetails;
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

  abstract find(orgId: OrgId): Promise<OrganizationRecord | undefined>;

  abstract list(query: PageQuery): Promise<Page<OrganizationRecord>>;

  abstract rename(tx: Tx, orgId: OrgId, name: string): Promise<ResourceDetails | undefined>;

  /**
   * Into `state` from the other one; undefined when it was not in that. Into inactive ends for good whatever its users
   * and applications were let in with.
   */
  abstract setState(tx: Tx, orgId: OrgId, state: OrganizationState): Promise<ResourceDetails | undefined>;

  /**
   * Marks it removed for good, which shuts out all that it owns: no user signs in, no token of its users or
   * applications works, no name leads to them. Its domains are free for others, its users hold no role of the instance.
   * What else is there is erased by and by (erase-organization.ts). Undefined when there is none.
   */
  abstract remove(tx: Tx, orgId: OrgId): Promise<ResourceDetails | undefined>;

  /** Undefined for an organization without a primary domain. */
  abstract findPrimaryDomain(tx: Tx, orgId: OrgId): Promise<string | undefined>;

  /** By its id or its primary domain; undefined when there is no such active organization. */
  abstract findAsked(asked: AskedOrganization): Promise<FoundOrganization | undefined>;

  /** Of the organization that stands in where no application names one; undefined before the first set-up. */
  abstract findDefaultBranding(): Promise<OrganizationBranding | undefined>;
}
