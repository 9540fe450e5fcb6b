import { Injectable } from '@nestjs/common';
import { ApplicationsStore } from '../applications/applications.store.js';
import { CreateOidcApplication } from '../applications/create-oidc-application.js';
import { EventsStore } from '../events/events.store.js';
import { ApiError, OAuthError } from '../shared/errors.js';
import type { ClientId, OrgId, ProjectId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import type { ReadMetadata } from './client-metadata.js';
import {
  ClientRegistrationSettings,
  firstUseSeconds,
  MOST_OPEN_CLIENTS,
} from './client-registration-settings.js';
import { ClientRegistrationsStore } from './client-registrations.store.js';

/** Puts a client whose document was read for the first time on file, in the project that the configuration names. */
@Injectable()
export class AddDocumentClient {
  constructor(
    private readonly registrations: ClientRegistrationsStore,
    private readonly applications: ApplicationsStore,
    private readonly createOidcApplication: CreateOidcApplication,
    private readonly events: EventsStore,
    private readonly settings: ClientRegistrationSettings,
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  /** @throws OAuthError where no more are taken */
  async execute(clientId: ClientId, read: ReadMetadata, freshSeconds: number): Promise<void> {
    const { orgId, projectId } = await this.place();
    const { name, config, allowedScopes, keys, metadata } = read;
    const settings = {
      ...config,
      clientId,
      name,
      orgId,
      projectId,
      registration: 'document',
      allowedScopes,
    } as const;
    try {
      await this.unitOfWork.run(async (tx) => {
        const { id, details } = await this.createOidcApplication.store(tx, settings, null);
        if (keys.length > 0) await this.applications.replaceOwnKeys(tx, { orgId, projectId, id }, keys);
        const unusedSeconds = firstUseSeconds(true, this.settings.unusedSeconds);
        await this.registrations.add(tx, {
          applicationId: id,
          orgId,
          tokenHash: null,
          freshSeconds,
          metadata,
          unusedSeconds,
        });
        await this.events.append(tx, {
          orgId,
          aggregateType: 'application',
          aggregateId: id,
          sequence: details.sequence,
          type: 'application.registered',
          actorId: null,
          data: { projectId, by: 'document' },
        });
      });
    } catch (error) {
      // somebody who came at the same time has put it on file
      if (error instanceof ApiError && error.kind === 'already-exists') return;
      throw error;
    }
  }

  private async place(): Promise<{ readonly orgId: OrgId; readonly projectId: ProjectId }> {
    const { openProject: projectId } = this.settings;
    const orgId = projectId && (await this.registrations.ownerOfProject(projectId));
    if (projectId === undefined || orgId === undefined) {
      this.log.error('the project of CLIENT_REGISTRATION_PROJECT is not there, or at rest', undefined);
      throw new OAuthError('temporarily_unavailable', 'new clients are not taken at present');
    }
    if ((await this.registrations.countOpen(projectId, MOST_OPEN_CLIENTS)) >= MOST_OPEN_CLIENTS) {
      this.log.warn('too many clients have registered themselves', { most: MOST_OPEN_CLIENTS });
      throw new OAuthError('temporarily_unavailable', 'new clients are not taken at present');
    }
    return { orgId, projectId };
  }
}
