import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
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

/** A domain that an organization claims. Several may claim one; one of them can have it verified. */
export interface OrganizationDomain {
  readonly domain: string;
  readonly verified: boolean;
  readonly primary: boolean;
  /** What a TXT record must say; undefined once it is verified. */
  readonly token?: string;
  readonly details: ResourceDetails;
}

/** Organizations, their domains, and what is left of those that were removed. */
export abstract class OrganizationsStore {
  /** @throws ApiError already-exists when another organization has verified the domain */
  abstract add(tx: Tx, organization: NewOrganization): Promise<{ id: OrgId; details: ResourceDetails }>;

  abstract find(orgId: OrgId): Promise<OrganizationRecord | undefined>;

  /** Those of them that are there, by name, and at most a thousand. */
  abstract findAll(orgIds: readonly OrgId[]): Promise<readonly OrganizationRecord[]>;

  abstract list(query: PageQuery): Promise<Page<OrganizationRecord>>;

  abstract rename(tx: Tx, orgId: OrgId, name: string): Promise<ResourceDetails | undefined>;

  /**
   * Into `state` from the other one; undefined when it was not in that. Deactivation ends for good all access of its users
   * and applications.
   */
  abstract setState(tx: Tx, orgId: OrgId, state: OrganizationState): Promise<ResourceDetails | undefined>;

  /**
   * Marks it removed for good, which disables all that it owns: no user signs in, no token of its users or
   * applications works, no name resolves to them. Its domains are free for others, its users hold no role of the instance.
   * The rest is erased in the background (erase-organization.ts). Undefined when there is none.
   */
  abstract remove(tx: Tx, orgId: OrgId): Promise<ResourceDetails | undefined>;

  /** Undefined for an organization without a primary domain. */
  abstract findPrimaryDomain(tx: Tx, orgId: OrgId): Promise<string | undefined>;

  /** By its id or its primary domain; undefined when there is no such active organization. */
  abstract findAsked(asked: AskedOrganization): Promise<FoundOrganization | undefined>;

  /** Of the organization that stands in where no application names one; undefined before the first set-up. */
  abstract findDefaultBranding(): Promise<OrganizationBranding | undefined>;

  /**
   * @param token null makes it verified at once
   * @throws ApiError already-exists where the organization has the domain, or another one has it verified
   */
  abstract addDomain(tx: Tx, orgId: OrgId, domain: string, token: string | null): Promise<ResourceDetails>;

  abstract findDomain(orgId: OrgId, domain: string): Promise<OrganizationDomain | undefined>;

  abstract listDomains(orgId: OrgId, query: PageQuery): Promise<Page<OrganizationDomain>>;

  /**
   * Verified from now on, if the token is still what was looked for.
   * @throws ApiError already-exists where another organization was first
   */
  abstract verifyDomain(
    tx: Tx,
    orgId: OrgId,
    domain: string,
    token: string,
  ): Promise<ResourceDetails | undefined>;

  /**
   * Makes a verified domain the one that login names end with. User names that end with it already lose that ending.
   * Undefined when the organization has no such verified domain, or it is the primary one already.
   * @throws ApiError already-exists where a shortened name is another user's
   */
  abstract makeDomainPrimary(tx: Tx, orgId: OrgId, domain: string): Promise<ResourceDetails | undefined>;

  /** Any but the primary one; undefined otherwise. */
  abstract removeDomain(tx: Tx, orgId: OrgId, domain: string): Promise<ResourceDetails | undefined>;

  /** Up to `limit` users of a removed organization that are not erased yet, locked until the transaction ends. */
  abstract lockUsersToErase(tx: Tx, orgId: OrgId, limit: number): Promise<readonly UserId[]>;

  /** Erases users that are held: all but their ids. An event is written for each. */
  abstract eraseUsers(tx: Tx, orgId: OrgId, userIds: readonly UserId[]): Promise<void>;

  /**
   * Of a removed organization, up to `limit` rows of each other kind that hold something personal or secret: keys and
   * secrets of applications, members, registrations that never ended, policies with their pictures.
   *
   * @returns how many rows it took or changed
   */
  abstract eraseOthers(tx: Tx, orgId: OrgId, limit: number): Promise<number>;

  /**
   * Marks a removed one erased when nothing can come any more: it was removed long enough ago for every request and
   * transaction of that time to have ended.
   */
  abstract finishErasure(tx: Tx, orgId: OrgId): Promise<ResourceDetails | 'too-early' | 'finished-before'>;
}
