import { Injectable } from '@nestjs/common';
import type { OrgId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import { InstanceStore } from './instance.store.js';
import { organizationNotFound } from './manage-organizations.js';
import { OrganizationsStore, type OrganizationRecord } from './organizations.store.js';

export interface ReadOrganization extends OrganizationRecord {
  /** The default one, which runs the instance and cannot be deactivated or removed. */
  readonly isOwn: boolean;
}

/** Organizations as their managers are shown them. */
@Injectable()
export class ReadOrganizations {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly instance: InstanceStore,
  ) {}

  /** @throws ApiError not-found */
  async find(orgId: OrgId): Promise<ReadOrganization> {
    const found = await this.organizations.find(orgId);
    if (found === undefined) throw organizationNotFound();
    const { defaultOrgId } = await this.instance.read();
    return { ...found, isOwn: orgId === defaultOrgId };
  }

  async list(query: PageQuery): Promise<Page<ReadOrganization>> {
    const page = await this.organizations.list(query);
    const { defaultOrgId } = await this.instance.read();
    return { ...page, items: page.items.map((one) => ({ ...one, isOwn: one.id === defaultOrgId })) };
  }
}
