import { Injectable } from '@nestjs/common';
import type { Acting } from '../permissions/acting.js';
import { effectiveRoles } from '../permissions/management-access.js';
import { permissionsOf, type Permission, type Role } from '../permissions/permissions.js';
import { PermissionsStore } from '../permissions/permissions.store.js';
import type { HeldRole } from '../permissions/rank.js';
import type { OrgId } from '../shared/ids.js';
import { OrganizationsStore, type OrganizationRecord } from './organizations.store.js';

export interface Allowed {
  readonly roles: readonly Role[];
  /** What the roles allow where they hold. */
  readonly permissions: readonly Permission[];
}

export interface OwnPermissions {
  /** A second factor is required of the user by now, and they have none: until they have one, nothing is allowed. */
  readonly mfaRequired: boolean;
  /** In the instance, and with it in every organization. */
  readonly instance: Allowed;
  /** The user's own organization and those in which they hold a role, by name. */
  readonly organizations: readonly (Allowed & { readonly organization: OrganizationRecord })[];
}

/** Where somebody may do what by the token that they came with: what an interface shows them, and what it leaves out. */
@Injectable()
export class FindOwnPermissions {
  constructor(
    private readonly permissions: PermissionsStore,
    private readonly organizations: OrganizationsStore,
  ) {}

  async execute(acting: Acting, ownOrgId: OrgId): Promise<OwnPermissions> {
    const found = await this.permissions.findRolesInEffect(acting, null);
    const mfaRequired = found?.factorOverdue === true;
    const held = found === undefined || mfaRequired ? [] : effectiveRoles(found.held, found.application);
    const ids = new Set([ownOrgId, ...held.flatMap(({ orgId }) => orgId ?? [])]);
    const organizations = await this.organizations.findAll([...ids]);
    return {
      mfaRequired,
      instance: allowedBy(held, null),
      organizations: organizations.map((organization) => ({
        organization,
        ...allowedBy(held, organization.id),
      })),
    };
  }
}

function allowedBy(held: readonly HeldRole[], where: OrgId | null): Allowed {
  const roles = held.filter(({ orgId }) => orgId === where).map(({ role }) => role);
  return { roles, permissions: permissionsOf(roles) };
}
