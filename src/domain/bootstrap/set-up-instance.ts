import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { InstanceStore } from '../organizations/instance.store.js';
import { OrganizationsStore } from '../organizations/organizations.store.js';
import { CreateProject } from '../projects/create-project.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** The service's own project: tokens with it in their audience may be used on the service's own APIs. */
const OWN_PROJECT = 'Identity Service';

export interface DefaultOrganization {
  readonly id: OrgId;
  readonly primaryDomain: string;
}

/** The first row of everything: default organization, the service's own project, and the instance that names both. */
@Injectable()
export class SetUpInstance {
  constructor(
    private readonly orgs: OrganizationsStore,
    private readonly instance: InstanceStore,
    private readonly createProject: CreateProject,
    private readonly events: EventsStore,
  ) {}

  /** Once the instance exists, the names asked for no longer matter: the organization found is returned. */
  async execute(tx: Tx, orgName: string, primaryDomain: string): Promise<DefaultOrganization> {
    await this.instance.lockSetUp(tx);
    const instance = await this.instance.find(tx);
    if (instance !== undefined) {
      const id = instance.defaultOrgId;
      return { id, primaryDomain: (await this.orgs.findPrimaryDomain(tx, id)) ?? primaryDomain };
    }
    const { id, details } = await this.orgs.add(tx, { name: orgName, primaryDomain });
    await this.events.append(tx, {
      orgId: id,
      aggregateType: 'organization',
      aggregateId: id,
      sequence: details.sequence,
      type: 'organization.added',
      actorId: null,
      data: { primaryDomain },
    });
    const project = await this.createProject.execute(
      tx,
      {
        orgId: id,
        name: OWN_PROJECT,
        projectRoleAssertion: false,
        projectRoleCheck: false,
        hasProjectCheck: false,
        privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
      },
      null,
    );
    await this.instance.add(tx, { defaultOrgId: id, apiProjectId: project.id });
    await this.events.append(tx, {
      orgId: null,
      aggregateType: 'instance',
      aggregateId: 'instance',
      sequence: 1,
      type: 'instance.set_up',
      actorId: null,
      data: { defaultOrgId: id, apiProjectId: project.id },
    });
    return { id, primaryDomain };
  }
}
