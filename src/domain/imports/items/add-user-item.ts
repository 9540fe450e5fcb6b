import { Injectable } from '@nestjs/common';
import { AddIdentity, IdentityTaken } from '../../identity-providers/identities/add-identity.js';
import { ManageMembers } from '../../members/manage-members.js';
import { ManageRoleAssignments } from '../../role-assignments/manage-role-assignments.js';
import { ServiceUserKeys } from '../../service-users/service-user-keys.js';
import type {
  IdentityProviderId,
  ProjectGrantId,
  ProjectId,
  ServiceUserKeyId,
  UserId,
} from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { expiryOf, type Added, type Item, type ItemPlace } from './item.js';

/** What users of the organization have beside themselves: keys of service users, identities at providers, roles in projects, memberships. */
@Injectable()
export class AddUserItem {
  constructor(
    private readonly serviceUserKeys: ServiceUserKeys,
    private readonly roleAssignments: ManageRoleAssignments,
    private readonly members: ManageMembers,
    private readonly addIdentity: AddIdentity,
  ) {}

  /** @throws ApiError as the use cases do */
  async execute(
    tx: Tx,
    { orgId, actorId, through }: ItemPlace,
    item: Item<'machine_user_key' | 'user_link' | 'user_grant' | 'org_member'>,
  ): Promise<Added> {
    const change = { orgId, userId: item.userId as UserId, actorId, through };
    switch (item.type) {
      case 'machine_user_key': {
        const prepared = await this.serviceUserKeys.prepare(change, item.publicJwk, expiryOf(item));
        await this.serviceUserKeys.keep(tx, change, prepared, item.keyId as ServiceUserKeyId);
        return 'added';
      }
      case 'user_link': {
        const { subject, displayName } = item;
        const providerId = item.idpId as IdentityProviderId;
        try {
          await this.addIdentity.execute(tx, change, { providerId, subject, displayName });
          return 'added';
        } catch (error) {
          if (error instanceof IdentityTaken && error.owner === change.userId) return 'there';
          throw error;
        }
      }
      case 'user_grant': {
        const { userId } = change;
        const projectId = item.projectId as ProjectId;
        const projectGrantId = item.projectGrantId as ProjectGrantId | undefined;
        const assignment = { orgId, userId, projectId, projectGrantId, roleKeys: item.roleKeys };
        const { id } = await this.roleAssignments.add(tx, assignment, actorId);
        if (item.inactive === true) await this.roleAssignments.deactivate(tx, { orgId, userId, id }, actorId);
        return 'added';
      }
      case 'org_member': {
        const { ended } = await this.members.add(tx, { place: orgId, ...change }, item.roles);
        return ended.length === 0 ? 'added' : { ended };
      }
    }
  }
}
