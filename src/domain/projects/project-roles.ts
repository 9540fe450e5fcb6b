import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import { changesTo } from '../shared/changed-fields.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import { projectNotFound } from './project-not-found.js';
import {
  ProjectsStore,
  type ProjectRole,
  type ProjectRolePlace,
  type StoredProjectRole,
} from './projects.store.js';

export function roleNotFound(): ApiError {
  return new ApiError('not-found', 'Project role could not be found', 'COMMAND-m9vMf');
}

/** The roles of a project. Whoever holds one that is removed loses it with the same commit. */
@Injectable()
export class ProjectRoles {
  constructor(
    private readonly projects: ProjectsStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found for the project */
  async list(place: ProjectRolePlace, query: PageQuery): Promise<Page<StoredProjectRole>> {
    if ((await this.projects.find(place.orgId, place.projectId)) === undefined) throw projectNotFound();
    return await this.projects.listRoles(place, query);
  }

  /** @throws ApiError not-found for the project, already-exists */
  async add(tx: Tx, place: ProjectRolePlace, role: ProjectRole, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.projects.addRole(tx, place, role);
    await this.record(tx, place, role.key, actorId, details, 'project.role.added');
    return details;
  }

  /** @throws ApiError not-found */
  async replace(
    tx: Tx,
    place: ProjectRolePlace,
    role: ProjectRole,
    actorId: UserId,
  ): Promise<ResourceDetails> {
    const before = await this.projects.lockRole(tx, place, role.key);
    if (before === undefined) throw roleNotFound();
    const details = await this.touch(tx, place, role);
    const fields = changesTo(before, role);
    await this.record(tx, place, role.key, actorId, details, 'project.role.changed', fields);
    return details;
  }

  /** Counts a change that is stored elsewhere; the caller writes the event. @throws ApiError not-found */
  async touch(tx: Tx, place: ProjectRolePlace, role: ProjectRole): Promise<ResourceDetails> {
    const details = await this.projects.replaceRole(tx, place, role);
    if (details === undefined) throw roleNotFound();
    return details;
  }

  /** @throws ApiError not-found */
  async remove(tx: Tx, place: ProjectRolePlace, key: string, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.projects.removeRole(tx, place, key);
    if (details === undefined) throw roleNotFound();
    await this.record(tx, place, key, actorId, details, 'project.role.removed');
    return details;
  }

  private async record(
    tx: Tx,
    { orgId, projectId }: ProjectRolePlace,
    key: string,
    actorId: UserId,
    { sequence }: ResourceDetails,
    type: EventType,
    fields: readonly string[] = [],
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'project_role',
      aggregateId: `${projectId} ${key}`,
      sequence,
      type,
      actorId,
      fields,
      data: { projectId, key },
    });
  }
}
