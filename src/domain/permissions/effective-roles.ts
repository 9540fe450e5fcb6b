import { Injectable } from '@nestjs/common';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { Acting } from './acting.js';
import { effectiveRoles } from './management-access.js';
import type { Role } from './permissions.js';
import { PermissionsStore } from './permissions.store.js';
import type { HeldRole } from './rank.js';

/** What somebody may do at this moment by the token that they came with; nothing of it is cached. */
@Injectable()
export class EffectiveRoles {
  constructor(private readonly permissions: PermissionsStore) {}

  /**
   * The roles that count in an organization, instance roles included; undefined when there is no such one.
   * @param tx of the transaction that asks, so that it waits for no second connection
   */
  async inOrganization(acting: Acting, orgId: OrgId, tx?: Tx): Promise<readonly Role[] | undefined> {
    const found = await this.permissions.findRolesInEffect(acting, orgId, tx);
    if (found === undefined) return undefined;
    if (found.factorOverdue) throw factorMissing();
    return effectiveRoles(found.held, found.application).map(({ role }) => role);
  }

  /**
   * Wherever they hold: of the instance and of all organizations. Also the rank of somebody that another acts on, which a
   * missing factor takes nothing from.
   */
  async everywhere(acting: Acting, tx?: Tx): Promise<readonly HeldRole[]> {
    const found = await this.permissions.findRolesInEffect(acting, null, tx);
    return found === undefined ? [] : effectiveRoles(found.held, found.application);
  }

  /** The same for whoever acts by them: none while a second factor that is required is missing. */
  async toActWith(acting: Acting): Promise<readonly HeldRole[]> {
    const found = await this.permissions.findRolesInEffect(acting, null);
    if (found === undefined || found.factorOverdue) return [];
    return effectiveRoles(found.held, found.application);
  }

  /**
   * In what rank somebody made something: what they have become since lends it nothing, and what they lost takes from it.
   * @param moment as the database writes it
   */
  async ofMaker(tx: Tx, userId: UserId, moment: string): Promise<readonly HeldRole[]> {
    return await this.permissions.findHeldSince(tx, userId, moment);
  }

  /**
   * Whether a token stands for all of its user, so that it may change what they sign in with: whoever gets hold of the
   * account has every role of it. It does where none of the roles is cut off, in an organization that it reaches.
   *
   * @param setsUpFactor whether it is for what they need to have a second factor, which none must be missing for
   * @throws ApiError permission-denied
   */
  async requireWholeUser(acting: Acting, orgId: OrgId, setsUpFactor = false): Promise<void> {
    if (acting.through === null) return;
    const found = await this.permissions.findRolesInEffect(acting, null);
    if (found?.factorOverdue === true && !setsUpFactor) throw factorMissing();
    // as if there were one more role at home: it is cut off exactly where the token does not reach that organization
    const held: readonly HeldRole[] = [...(found?.held ?? []), { role: 'ORG_OWNER_VIEWER', orgId }];
    if (effectiveRoles(held, found?.application).length === held.length) return;
    throw new ApiError(
      'permission-denied',
      'The application may not act for this user here: its managementAccess does not reach all of the account',
      'AUTH-mA7rX',
    );
  }
}

/** Protocol §0.4 */
function factorMissing(): ApiError {
  return new ApiError('permission-denied', 'mfa required', 'AUTHZ-Kl3p0');
}
