import { Injectable } from '@nestjs/common';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import { allows, type Permission } from './permissions.js';
import { PermissionsStore } from './permissions.store.js';

/** May this user do this in that organization? The answer is the same with and without memberships elsewhere. */
@Injectable()
export class RequirePermission {
  constructor(private readonly permissions: PermissionsStore) {}

  /** @throws ApiError permission-denied (contract §0.4) */
  async check(userId: UserId, orgId: OrgId, permission: Permission): Promise<void> {
    const roles = await this.permissions.findRoles(userId, orgId);
    if (roles === undefined) {
      throw new ApiError('permission-denied', "Organisation doesn't exist", 'AUTH-Bs7Ds');
    }
    if (!allows(roles, permission)) {
      throw new ApiError('permission-denied', 'No matching permissions found', 'AUTH-5mWD2');
    }
  }
}
