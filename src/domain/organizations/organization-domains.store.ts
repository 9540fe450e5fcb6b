import type { ResourceDetails } from '../shared/details.js';
import type { OrgId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';

/** A domain that an organization claims. Several may claim one; one of them can have it verified. */
export interface OrganizationDomain {
  readonly domain: string;
  readonly verified: boolean;
  readonly primary: boolean;
  /** What a TXT record must say; undefined once it is verified. */
  readonly token?: string;
  readonly details: ResourceDetails;
}

export abstract class OrganizationDomainsStore {
  /**
   * @param token null makes it verified at once
   * @throws ApiError already-exists where the organization has the domain, or another one has it verified
   */
  abstract add(tx: Tx, orgId: OrgId, domain: string, token: string | null): Promise<ResourceDetails>;

  abstract find(orgId: OrgId, domain: string): Promise<OrganizationDomain | undefined>;

  abstract list(orgId: OrgId, query: PageQuery): Promise<Page<OrganizationDomain>>;

  /**
   * Verified from now on, if the token is still what was looked for.
   * @throws ApiError already-exists where another organization was first
   */
  abstract verify(tx: Tx, orgId: OrgId, domain: string, token: string): Promise<ResourceDetails | undefined>;

  /**
   * Makes a verified domain the one that login names end with. User names that end with it already lose that ending.
   * Undefined when the organization has no such verified domain, or it is the primary one already.
   * @throws ApiError already-exists where a shortened name is another user's
   */
  abstract makePrimary(tx: Tx, orgId: OrgId, domain: string): Promise<ResourceDetails | undefined>;

  /** Any but the primary one; undefined otherwise. */
  abstract remove(tx: Tx, orgId: OrgId, domain: string): Promise<ResourceDetails | undefined>;
}
