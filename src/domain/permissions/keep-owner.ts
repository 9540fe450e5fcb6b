import { Injectable } from '@nestjs/common';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { PermissionsStore } from './permissions.store.js';

/**
 * An instance without an owner who can sign in or call could be owned by nobody again. Whatever shuts a user or an
 * organization out, or takes roles of the instance, is done inside of this.
 *
 * The locks come before any row is touched. Those who shut owners out take turns; a change of the instance's roles
 * waits for them and they for it, so that what is counted is true when the transaction commits. Who is no owner costs
 * one shared lock and one read.
 */
@Injectable()
export class KeepOwner {
  constructor(private readonly permissions: PermissionsStore) {}

  /** @throws ApiError failed-precondition when the last owner would go */
  async whileUserGoes<T>(tx: Tx, userId: UserId, change: () => Promise<T>): Promise<T> {
    await this.permissions.lockRolesShared(tx);
    return await this.guard(tx, await this.permissions.isOwner(tx, userId), change);
  }

  /**
   * Somebody who goes by their own wish leaves no organization without an owner either. Owners who go take turns: of the last
   * two one stays.
   *
   * @throws ApiError failed-precondition
   */
  async whileUserLeaves<T>(tx: Tx, userId: UserId, change: () => Promise<T>): Promise<T> {
    return await this.whileUserGoes(tx, userId, async () => {
      if (await this.permissions.ownsOrganization(tx, userId)) {
        await this.permissions.takeOwnersTurn(tx);
        if (await this.permissions.isOrganizationsLastOwner(tx, userId)) throw lastOfOrganization();
      }
      return await change();
    });
  }

  /**
   * Only an owner of the instance shuts another one out, with all of their organization as by themselves (security S515).
   *
   * @throws ApiError failed-precondition when the last owner would go, or another one by the will of who is none
   */
  async whileOrganizationGoes<T>(
    tx: Tx,
    orgId: OrgId,
    actorId: UserId,
    change: () => Promise<T>,
  ): Promise<T> {
    await this.permissions.lockRolesShared(tx);
    const isHome = await this.permissions.isHomeOfOwner(tx, orgId);
    if (isHome && !(await this.permissions.isOwner(tx, actorId))) throw homeOfOwner();
    return await this.guard(tx, isHome, change);
  }

  /** An organization cannot be removed from under an owner. @throws ApiError failed-precondition */
  async requireNoHome(tx: Tx, orgId: OrgId): Promise<void> {
    await this.permissions.lockRolesShared(tx);
    if (await this.permissions.isHomeOfOwner(tx, orgId)) throw homeOfOwner();
  }

  /** For a transaction that changes the instance's roles and keeps others from it. @throws as above */
  async require(tx: Tx): Promise<void> {
    if ((await this.permissions.countOwners(tx)) > 0) return;
    throw new ApiError(
      'failed-precondition',
      'The last owner of the instance cannot be removed',
      'COMMAND-f2Nq7',
    );
  }

  private async guard<T>(tx: Tx, concernsOwner: boolean, change: () => Promise<T>): Promise<T> {
    if (!concernsOwner) return await change();
    await this.permissions.takeOwnersTurn(tx);
    const result = await change();
    await this.require(tx);
    return result;
  }
}

function homeOfOwner(): ApiError {
  return new ApiError(
    'failed-precondition',
    'An owner of the instance is a user of this organisation',
    'COMMAND-h4Wq8',
  );
}

function lastOfOrganization(): ApiError {
  return new ApiError(
    'failed-precondition',
    'The last owner of an organisation cannot leave it without one',
    'COMMAND-o7Lw3',
  );
}
