import { Injectable } from '@nestjs/common';
import type { OrgId, ProjectId } from '../../shared/ids.js';
import { Log } from '../../shared/log.js';
import { ClientRegistrationSettings, MOST_OPEN_CLIENTS } from '../client-registration-settings.js';
import { ClientRegistrationsStore } from '../client-registrations.store.js';

interface OpenPlace {
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
}

/** The project of unvetted clients, registered or by a document: the one that the configuration names, up to its limit. */
@Injectable()
export class OpenClientPlace {
  constructor(
    private readonly registrations: ClientRegistrationsStore,
    private readonly settings: ClientRegistrationSettings,
    private readonly log: Log,
  ) {}

  async find(): Promise<OpenPlace | 'gone' | 'full'> {
    const { openProject: projectId } = this.settings;
    const orgId = projectId && (await this.registrations.ownerOfProject(projectId));
    if (projectId === undefined || orgId === undefined) {
      this.log.error('the project of CLIENT_REGISTRATION_PROJECT was not found or is inactive', undefined);
      return 'gone';
    }
    if ((await this.registrations.countOpen(projectId, MOST_OPEN_CLIENTS)) >= MOST_OPEN_CLIENTS) {
      this.log.warn('too many clients have registered themselves', { most: MOST_OPEN_CLIENTS });
      return 'full';
    }
    return { orgId, projectId };
  }
}
