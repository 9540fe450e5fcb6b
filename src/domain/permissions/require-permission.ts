import { Injectable } from '@nestjs/common';
import { ApiError } from '../shared/errors.js';
import type { OrgId } from '../shared/ids.js';
import type { Acting } from './acting.js';
import { EffectiveRoles } from './effective-roles.js';
import { allows, type Permission } from './permissions.js';

/** May this caller do this in that organization? The answer is the same with and without memberships elsewhere. */
@Injectable()
export class RequirePermission {
  constructor(private readonly roles: EffectiveRoles) {}

  /** @throws ApiError permission-denied (protocol §0.4) */
  async check(acting: Acting, orgId: OrgId, permission: Permission): Promise<void> {
    const roles = await this.roles.inOrganization(acting, orgId);
    if (roles === undefined) {
      throw new ApiError('permission-denied', "Organisation doesn't exist", 'AUTH-Bs7Ds');
    }
    if (!allows(roles, permission)) {
      throw new ApiError('permission-denied', 'No matching permissions found', 'AUTH-5mWD2');
    }
  }
}
