import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import { InstanceStore } from '../organizations/instance.store.js';
import { OrganizationsStore } from '../organizations/organizations.store.js';
import { projectGrantNotFound, projectNotFound } from '../projects/project-not-found.js';
import { ProjectsStore } from '../projects/projects.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, ProjectGrantId, ProjectId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import {
  ProjectGrantsStore,
  type NewProjectGrant,
  type ProjectGrant,
  type ProjectGrantPlace,
} from './project-grants.store.js';

/**
 * Lets another organization use a project: its applications and service users may name it in their audience
 * (storage, `mayNameProject`), and it may give its own users the roles of the grant. Tokens and roles are looked at
 * whenever they are used, so a grant that is removed, put to rest, or has fewer roles, holds with its commit.
 */
@Injectable()
export class ManageProjectGrants {
  constructor(
    private readonly grants: ProjectGrantsStore,
    private readonly projects: ProjectsStore,
    private readonly organizations: OrganizationsStore,
    private readonly instance: InstanceStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError as `ProjectGrantsStore.add`; failed-precondition for oneself, and for the service's own project */
  async add(
    tx: Tx,
    grant: NewProjectGrant,
    actorId: UserId,
  ): Promise<{ readonly id: ProjectGrantId; readonly details: ResourceDetails }> {
    const { orgId, projectId, grantedOrgId } = grant;
    if (grantedOrgId === orgId) {
      throw new ApiError(
        'failed-precondition',
        'A project cannot be granted to its own organisation',
        'COMMAND-g4Own',
      );
    }
    const { apiProjectId, defaultOrgId } = await this.instance.read();
    // who may use the service's own APIs is an application's setting, never a project's
    if (projectId === apiProjectId && orgId === defaultOrgId) {
      throw new ApiError(
        'failed-precondition',
        "The service's own project cannot be granted",
        'COMMAND-g4Api',
      );
    }
    const added = await this.grants.add(tx, grant);
    const place = { orgId, projectId, id: added.id };
    await this.record(tx, place, actorId, added.details, 'project.grant.added', { grantedOrgId });
    return added;
  }

  /** @throws ApiError not-found for the project */
  async list(orgId: OrgId, projectId: ProjectId, query: PageQuery): Promise<Page<ProjectGrant>> {
    if ((await this.projects.find(orgId, projectId)) === undefined) throw projectNotFound();
    return await this.grants.list(orgId, projectId, query);
  }

  /** @throws ApiError not-found */
  async find(place: ProjectGrantPlace): Promise<ProjectGrant> {
    const found = await this.grants.find(place);
    if (found === undefined) throw projectGrantNotFound();
    return found;
  }

  /**
   * By exactly this primary domain: there is no search, or an owner could list organizations.
   * @throws ApiError not-found
   */
  async findOrganization(domain: string): Promise<OrgId> {
    const found = await this.organizations.findAsked({ by: 'domain', value: domain });
    if (found !== undefined) return found.id;
    throw new ApiError(
      'not-found',
      'The organisation of grantedOrgDomain could not be found',
      'COMMAND-g4Dom',
    );
  }

  /** @throws ApiError not-found, failed-precondition */
  async deactivate(tx: Tx, place: ProjectGrantPlace, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.grants.setState(tx, place, 'inactive');
    if (details === undefined)
      throw await this.refusal(place, 'Project grant is deactivated', 'PROJECT-47fu8');
    await this.record(tx, place, actorId, details, 'project.grant.deactivated');
    return details;
  }

  /** @throws ApiError not-found, failed-precondition */
  async reactivate(tx: Tx, place: ProjectGrantPlace, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.grants.setState(tx, place, 'active');
    if (details === undefined)
      throw await this.refusal(place, 'Project grant is not inactive', 'PROJECT-9Ns4x');
    await this.record(tx, place, actorId, details, 'project.grant.reactivated');
    return details;
  }

  /** @throws ApiError not-found, invalid-argument */
  async replaceRoles(
    tx: Tx,
    place: ProjectGrantPlace,
    roleKeys: readonly string[],
    actorId: UserId,
  ): Promise<ResourceDetails> {
    const details = await this.grants.replaceRoles(tx, place, roleKeys, actorId);
    if (details === undefined) throw projectGrantNotFound();
    await this.record(tx, place, actorId, details, 'project.grant.changed', {}, ['roleKeys']);
    return details;
  }

  /** @throws ApiError not-found */
  async remove(tx: Tx, place: ProjectGrantPlace, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.grants.remove(tx, place, actorId);
    if (details === undefined) throw projectGrantNotFound();
    await this.record(tx, place, actorId, details, 'project.grant.removed');
    return details;
  }

  private async refusal(place: ProjectGrantPlace, text: string, id: string): Promise<ApiError> {
    const found = await this.grants.find(place);
    return found === undefined ? projectGrantNotFound() : new ApiError('failed-precondition', text, id);
  }

  private async record(
    tx: Tx,
    { orgId, projectId, id }: ProjectGrantPlace,
    actorId: UserId,
    { sequence }: ResourceDetails,
    type: EventType,
    data: Readonly<Record<string, string>> = {},
    fields: readonly string[] = [],
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'project_grant',
      aggregateId: id,
      sequence,
      type,
      actorId,
      fields,
      data: { projectId, ...data },
    });
  }
}
