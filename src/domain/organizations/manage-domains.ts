import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import type { Acting } from '../permissions/acting.js';
import { EffectiveRoles } from '../permissions/effective-roles.js';
import { allows } from '../permissions/permissions.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import { randomToken } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { OrganizationsStore, type OrganizationDomain } from './organizations.store.js';
import { TxtRecords } from './txt-records.js';

/** Label below a domain where its proof is looked for. */
const CHALLENGE = '_service-challenge';

export function domainNotFound(): ApiError {
  return new ApiError('not-found', 'Domain could not be found on the organisation', 'ORG-GDfA3');
}

/** The TXT record that proves a domain. */
interface DomainProof {
  readonly name: string;
  readonly value: string;
}

export function proofOf(domain: string, token: string): DomainProof {
  return { name: `${CHALLENGE}.${domain}`, value: token };
}

/** An organization's domains: an instance owner may mark them as verified, an owner of the organization proves them by DNS. */
@Injectable()
export class ManageDomains {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly roles: EffectiveRoles,
    private readonly records: TxtRecords,
    private readonly events: EventsStore,
  ) {}

  /**
   * @param vouched false to require the proof even from a caller who may mark it as verified
   * @returns the proof that is still wanted, if any
   * @throws ApiError already-exists
   */
  async add(
    tx: Tx,
    orgId: OrgId,
    domain: string,
    acting: Acting,
    vouched = true,
  ): Promise<{ readonly details: ResourceDetails; readonly proof: DomainProof | undefined }> {
    const roles = (await this.roles.inOrganization(acting, orgId, tx)) ?? [];
    const token = vouched && allows(roles, 'org.domain.vouch') ? null : randomToken(32);
    const details = await this.organizations.addDomain(tx, orgId, domain, token);
    await this.record(tx, orgId, domain, acting.actorId, details, 'organization.domain.added');
    return { details, proof: token === null ? undefined : proofOf(domain, token) };
  }

  /**
   * Looks for the proof; outside of any transaction, for it waits for others.
   * @throws ApiError not-found, failed-precondition, invalid-argument without the proof, unavailable
   */
  async requireProof(orgId: OrgId, domain: string): Promise<string> {
    const { token } = await this.require(orgId, domain);
    if (token === undefined) {
      throw new ApiError('failed-precondition', 'Domain is already verified', 'ORG-HGw21');
    }
    const { name, value } = proofOf(domain, token);
    if ((await this.records.find(name)).includes(value)) return token;
    throw new ApiError(
      'invalid-argument',
      `Domain is not verified: no TXT record of ${name} is the token`,
      'ORG-GH3s2',
    );
  }

  /** @throws ApiError not-found when the proof was of a claim that is gone, already-exists */
  async verify(
    tx: Tx,
    orgId: OrgId,
    domain: string,
    token: string,
    actorId: UserId,
  ): Promise<ResourceDetails> {
    const details = await this.organizations.verifyDomain(tx, orgId, domain, token);
    if (details === undefined) throw domainNotFound();
    await this.record(tx, orgId, domain, actorId, details, 'organization.domain.verified');
    return details;
  }

  /** @throws ApiError not-found, failed-precondition, already-exists */
  async makePrimary(tx: Tx, orgId: OrgId, domain: string, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.organizations.makeDomainPrimary(tx, orgId, domain);
    if (details === undefined) {
      const { verified } = await this.require(orgId, domain);
      throw verified
        ? new ApiError('failed-precondition', 'Domain is primary already', 'ORG-FfoZO')
        : new ApiError('failed-precondition', 'Domain is not verified', 'ORG-Ggd32');
    }
    await this.record(tx, orgId, domain, actorId, details, 'organization.domain.made_primary');
    return details;
  }

  /** @throws ApiError not-found, failed-precondition for the primary one */
  async remove(tx: Tx, orgId: OrgId, domain: string, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.organizations.removeDomain(tx, orgId, domain);
    if (details === undefined) {
      await this.require(orgId, domain);
      throw new ApiError('failed-precondition', 'The primary domain cannot be removed', 'ORG-Sjdi3');
    }
    await this.record(tx, orgId, domain, actorId, details, 'organization.domain.removed');
    return details;
  }

  private async require(orgId: OrgId, domain: string): Promise<OrganizationDomain> {
    const found = await this.organizations.findDomain(orgId, domain);
    if (found === undefined) throw domainNotFound();
    return found;
  }

  private async record(
    tx: Tx,
    orgId: OrgId,
    domain: string,
    actorId: UserId,
    { sequence }: ResourceDetails,
    type: EventType,
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'organization_domain',
      aggregateId: `${orgId} ${domain}`,
      sequence,
      type,
      actorId,
      data: { domain },
    });
  }
}
