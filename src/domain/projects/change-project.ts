import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import { InstanceStore } from '../organizations/instance.store.js';
import { changesTo } from '../shared/changed-fields.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, ProjectId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { projectNotFound } from './project-not-found.js';
import { ProjectsStore, type ProjectSettings } from './projects.store.js';

interface ProjectChange {
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly actorId: UserId;
}

/** Changes a project that an organization has. The service's own must stay: every API token is meant for it. */
@Injectable()
export class ChangeProject {
  constructor(
    private readonly projects: ProjectsStore,
    private readonly instance: InstanceStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found, already-exists, failed-precondition for checks of the service's own project */
  async replace(tx: Tx, change: ProjectChange, settings: ProjectSettings): Promise<ResourceDetails> {
    const { orgId, projectId } = change;
    const before = await this.projects.lock(tx, orgId, projectId);
    if (before === undefined) throw projectNotFound();
    await this.requireOpen(change, before, settings);
    const details = await this.projects.replace(tx, orgId, projectId, settings);
    if (details === undefined) throw projectNotFound();
    await this.record(tx, change, details, 'project.changed', changesTo(before, settings));
    return details;
  }

  /**
   * Nobody signs in to the project's applications meanwhile, and what they obtained is dead at once, also afterwards.
   * @throws ApiError not-found, failed-precondition
   */
  async deactivate(tx: Tx, change: ProjectChange): Promise<ResourceDetails> {
    await this.requireNotOwn(change);
    const details = await this.projects.setState(tx, change.orgId, change.projectId, 'inactive');
    if (details === undefined) throw await this.refusal(change, 'Project is deactivated', 'COMMAND-6M9sd');
    await this.record(tx, change, details, 'project.deactivated');
    return details;
  }

  /** @throws ApiError not-found, failed-precondition */
  async reactivate(tx: Tx, change: ProjectChange): Promise<ResourceDetails> {
    const details = await this.projects.setState(tx, change.orgId, change.projectId, 'active');
    if (details === undefined) throw await this.refusal(change, 'Project is not inactive', 'COMMAND-7M9sd');
    await this.record(tx, change, details, 'project.reactivated');
    return details;
  }

  /** @throws ApiError not-found, failed-precondition */
  async remove(tx: Tx, change: ProjectChange): Promise<ResourceDetails> {
    await this.requireNotOwn(change);
    const details = await this.projects.remove(tx, change.orgId, change.projectId);
    if (details === undefined) throw projectNotFound();
    await this.record(tx, change, details, 'project.removed');
    return details;
  }

  private async requireNotOwn(change: ProjectChange): Promise<void> {
    if (!(await this.isOwn(change))) return;
    throw new ApiError('failed-precondition', 'The service needs its own project', 'COMMAND-x8Tp2');
  }

  /** Administrators of all organizations sign in to the console; few of them hold a role of the service's own project. */
  private async requireOpen(
    change: ProjectChange,
    before: ProjectSettings,
    after: ProjectSettings,
  ): Promise<void> {
    const added = (['projectRoleCheck', 'hasProjectCheck'] as const).find(
      (name) => after[name] && !before[name],
    );
    if (added === undefined || !(await this.isOwn(change))) return;
    throw new ApiError(
      'failed-precondition',
      `The console is one of its applications: ${added} would keep administrators out`,
      'COMMAND-k9Cns',
    );
  }

  /** To another organization it is nothing but a project of somebody else. */
  private async isOwn({ projectId, orgId }: ProjectChange): Promise<boolean> {
    const { apiProjectId, defaultOrgId } = await this.instance.read();
    return projectId === apiProjectId && orgId === defaultOrgId;
  }

  private async refusal({ orgId, projectId }: ProjectChange, text: string, id: string): Promise<ApiError> {
    const project = await this.projects.find(orgId, projectId);
    return project === undefined ? projectNotFound() : new ApiError('failed-precondition', text, id);
  }

  private async record(
    tx: Tx,
    { orgId, projectId, actorId }: ProjectChange,
    { sequence }: ResourceDetails,
    type: EventType,
    fields: readonly string[] = [],
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'project',
      aggregateId: projectId,
      sequence,
      type,
      actorId,
      fields,
    });
  }
}
