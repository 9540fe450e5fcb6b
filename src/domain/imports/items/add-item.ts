import { Injectable } from '@nestjs/common';
import { requireGivenId } from '../../shared/given-id.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { newIdsOf, type OrganizationItem } from '../records/organization-items.js';
import { AddApplicationItem } from './add-application-item.js';
import { AddOrganizationItem } from './add-organization-item.js';
import { AddPolicyItem } from './add-policy-item.js';
import { AddProjectItem } from './add-project-item.js';
import { AddUserItem } from './add-user-item.js';
import type { Added, ItemPlace } from './item.js';

/** Brings one thing of an organization in, by the use case that makes such a thing for anybody. */
@Injectable()
export class AddItem {
  constructor(
    private readonly organization: AddOrganizationItem,
    private readonly policy: AddPolicyItem,
    private readonly project: AddProjectItem,
    private readonly application: AddApplicationItem,
    private readonly user: AddUserItem,
  ) {}

  /** In a savepoint of its own. @throws ApiError as the use cases do */
  async execute(tx: Tx, place: ItemPlace, item: OrganizationItem): Promise<Added> {
    for (const [name, id] of newIdsOf(item)) if (id !== undefined) requireGivenId(name, id);
    switch (item.type) {
      case 'org':
      case 'org_state':
      case 'domain':
        return await this.organization.execute(tx, place, item);
      case 'password_complexity_policy':
      case 'lockout_policy':
      case 'login_policy':
      case 'factor_policy':
      case 'label_policy':
      case 'privacy_policy':
        return await this.policy.execute(tx, place, item);
      case 'project':
      case 'project_state':
      case 'project_role':
      case 'project_grant':
        return await this.project.execute(tx, place, item);
      case 'oidc_app':
      case 'api_app':
      case 'app_key':
        return await this.application.execute(tx, place, item);
      case 'machine_user_key':
      case 'user_link':
      case 'user_grant':
      case 'org_member':
        return await this.user.execute(tx, place, item);
      case 'user_metadata':
        throw new Error('metadata is written for many users at once');
    }
  }
}
