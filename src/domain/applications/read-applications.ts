import { Injectable } from '@nestjs/common';
import { InstanceStore } from '../organizations/instance.store.js';
import type { ClientId, OrgId, ProjectId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import { KeySettings, servedFor } from '../signing-keys/key-settings.js';
import { ApplicationsStore, type ApplicationPlace, type ApplicationRecord } from './applications.store.js';

/** Applications as their managers are shown them: with the algorithms that are used, whatever was asked for at the time. */
@Injectable()
export class ReadApplications {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly keys: KeySettings,
    private readonly instance: InstanceStore,
  ) {}

  async find(place: ApplicationPlace): Promise<ApplicationRecord | undefined> {
    const found = await this.applications.find(place);
    return found && this.shown(found, await this.instance.findConsoleClient());
  }

  async list(orgId: OrgId, projectId: ProjectId, query: PageQuery): Promise<Page<ApplicationRecord>> {
    const page = await this.applications.list(orgId, projectId, query);
    const console = await this.instance.findConsoleClient();
    return { ...page, items: page.items.map((application) => this.shown(application, console)) };
  }

  private shown(found: ApplicationRecord, console: ClientId | undefined): ApplicationRecord {
    const application = { ...found, isOwn: found.clientId === console };
    if (application.type !== 'oidc' || application.config.userinfoAlgorithm === null) return application;
    const userinfoAlgorithm = servedFor(application.config.userinfoAlgorithm, this.keys);
    return { ...application, config: { ...application.config, userinfoAlgorithm } };
  }
}
