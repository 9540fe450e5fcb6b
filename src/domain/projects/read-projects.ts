import { Injectable } from '@nestjs/common';
import { InstanceStore } from '../organizations/instance.store.js';
import type { OrgId, ProjectId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import { projectNotFound } from './project-not-found.js';
import { ProjectsStore, type Project } from './projects.store.js';

interface ReadProject extends Project {
  /** The service's own, which cannot be deactivated or removed. */
  readonly isOwn: boolean;
}

/** Projects as their managers are shown them. */
@Injectable()
export class ReadProjects {
  constructor(
    private readonly projects: ProjectsStore,
    private readonly instance: InstanceStore,
  ) {}

  /** @throws ApiError not-found */
  async find(orgId: OrgId, id: ProjectId): Promise<ReadProject> {
    const found = await this.projects.find(orgId, id);
    if (found === undefined) throw projectNotFound();
    const { apiProjectId } = await this.instance.read();
    return { ...found, isOwn: id === apiProjectId };
  }

  async list(orgId: OrgId, query: PageQuery): Promise<Page<ReadProject>> {
    const page = await this.projects.list(orgId, query);
    const { apiProjectId } = await this.instance.read();
    return {
      ...page,
      items: page.items.map((project) => ({ ...project, isOwn: project.id === apiProjectId })),
    };
  }
}
