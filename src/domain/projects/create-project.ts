import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type { ProjectId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { ProjectsStore, type NewProject } from './projects.store.js';

/** Adds a project, the roof over applications that share an audience. */
@Injectable()
export class CreateProject {
  constructor(
    private readonly projects: ProjectsStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError already-exists */
  async execute(
    tx: Tx,
    project: NewProject,
    actorId: UserId | null,
  ): Promise<{ id: ProjectId; details: ResourceDetails }> {
    const created = await this.projects.add(tx, project);
    await this.events.append(tx, {
      orgId: project.orgId,
      aggregateType: 'project',
      aggregateId: created.id,
      sequence: created.details.sequence,
      type: 'project.added',
      actorId,
    });
    return created;
  }
}
