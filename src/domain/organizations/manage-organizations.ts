import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import { OutboxStore } from '../outbox/outbox.store.js';
import { KeepOwner } from '../permissions/keep-owner.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { END_ORGANIZATION_SESSIONS } from './end-organization-sessions.js';
import { ERASE_ORGANIZATION } from './erase-organization.js';
import { InstanceStore } from './instance.store.js';
import { OrganizationsStore } from './organizations.store.js';

/** What organizations need to know of the instance that they live in. */
export abstract class OrganizationSettings {
  /** The host of the service: the domain of an organization that names none lies below it. */
  abstract readonly host: string;
}

export function organizationNotFound(): ApiError {
  return new ApiError('not-found', 'Organisation could not be found', 'QUERY-iTTGJ');
}

/** Makes, changes and removes organizations. The one that runs the instance must stay. */
@Injectable()
export class ManageOrganizations {
  constructor(
    private readonly orgs: OrganizationsStore,
    private readonly instance: InstanceStore,
    private readonly settings: OrganizationSettings,
    private readonly owner: KeepOwner,
    private readonly outbox: OutboxStore,
    private readonly events: EventsStore,
  ) {}

  /**
   * @param primaryDomain verified at once; without one it is the name made fit, below the host of this service
   * @throws ApiError invalid-argument where no domain can be made of the name, already-exists for the domain or the id
   */
  async add(
    tx: Tx,
    organization: {
      readonly id?: OrgId;
      readonly name: string;
      readonly primaryDomain: string | undefined;
    },
    actorId: UserId,
  ): Promise<{ readonly id: OrgId; readonly details: ResourceDetails }> {
    const { name, id } = organization;
    const primaryDomain = organization.primaryDomain ?? this.domainFor(name);
    const added = await this.orgs.add(tx, { name, primaryDomain, ...(id !== undefined && { id }) });
    await this.record(tx, added.id, actorId, added.details, 'organization.added');
    return added;
  }

  /** @throws ApiError not-found */
  async rename(tx: Tx, orgId: OrgId, name: string, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.orgs.rename(tx, orgId, name);
    if (details === undefined) throw organizationNotFound();
    await this.record(tx, orgId, actorId, details, 'organization.changed', ['name']);
    return details;
  }

  /**
   * Nobody signs in meanwhile. Sessions and tokens of its users, service users and applications are invalid on every
   * replica with the commit, and stay so after a reactivation; work per session (notifying applications) is
   * left to a job. Secrets, keys and personal access tokens are suspended.
   * @throws ApiError not-found, failed-precondition
   */
  async deactivate(tx: Tx, orgId: OrgId, actorId: UserId): Promise<ResourceDetails> {
    await this.requireNotDefault(orgId);
    return await this.owner.whileOrganizationGoes(tx, orgId, actorId, async () => {
      const details = await this.orgs.setState(tx, orgId, 'inactive');
      if (details === undefined) {
        throw await this.refusal(orgId, 'Organisation is already deactivated', 'COMMAND-pzJ3s');
      }
      await this.record(tx, orgId, actorId, details, 'organization.deactivated');
      const job = { queue: 'maintenance', jobName: END_ORGANIZATION_SESSIONS, lane: 'normal' } as const;
      await this.outbox.add(tx, { ...job, payload: { orgId } });
      return details;
    });
  }

  /** @throws ApiError not-found, failed-precondition */
  async reactivate(tx: Tx, orgId: OrgId, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.orgs.setState(tx, orgId, 'active');
    if (details === undefined) throw await this.refusal(orgId, 'Organisation is active', 'COMMAND-qMJ3s');
    await this.record(tx, orgId, actorId, details, 'organization.reactivated');
    return details;
  }

  /**
   * For good. All that it has is dead when the transaction commits; what its users and applications are made of is
   * left to a job, since it may be a million of them.
   * @throws ApiError not-found, failed-precondition
   */
  async remove(tx: Tx, orgId: OrgId, actorId: UserId): Promise<ResourceDetails> {
    await this.requireNotDefault(orgId);
    await this.owner.requireNoHome(tx, orgId);
    const details = await this.orgs.remove(tx, orgId);
    if (details === undefined) throw organizationNotFound();
    await this.record(tx, orgId, actorId, details, 'organization.removed');
    const payload = { orgId };
    await this.outbox.add(tx, { queue: 'maintenance', jobName: ERASE_ORGANIZATION, payload, lane: 'normal' });
    return details;
  }

  private async requireNotDefault(orgId: OrgId): Promise<void> {
    if (orgId !== (await this.instance.read()).defaultOrgId) return;
    throw new ApiError('failed-precondition', 'The instance needs its own organisation', 'COMMAND-wdH2x');
  }

  private async refusal(orgId: OrgId, text: string, id: string): Promise<ApiError> {
    const found = await this.orgs.find(orgId);
    return found === undefined ? organizationNotFound() : new ApiError('failed-precondition', text, id);
  }

  private domainFor(name: string): string {
    const label = name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 63)
      .replace(/^-+|-+$/g, '');
    if (label === '') {
      throw new ApiError('invalid-argument', 'domain is required: no domain can be made from the name');
    }
    return `${label}.${this.settings.host}`;
  }

  private async record(
    tx: Tx,
    orgId: OrgId,
    actorId: UserId,
    { sequence }: ResourceDetails,
    type: EventType,
    fields: readonly string[] = [],
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'organization',
      aggregateId: orgId,
      sequence,
      type,
      actorId,
      fields,
    });
  }
}
