import { Injectable } from '@nestjs/common';
import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { PermissionsStore } from './permissions.store.js';
import { outranksOrEquals } from './rank.js';

/**
 * Whoever makes credentials for another user, or takes them over by a new password or address, must not gain by it
 * what they may not do themselves. Asked in the transaction that makes them.
 */
@Injectable()
export class RequireRank {
  constructor(private readonly permissions: PermissionsStore) {}

  /** @throws ApiError permission-denied when the target holds a role beyond the actor's reach, in any organization */
  async check(tx: Tx, actorId: UserId, targetId: UserId): Promise<void> {
    if (actorId === targetId) return;
    const target = await this.permissions.listHeld(tx, targetId);
    if (target.length === 0) return;
    if (outranksOrEquals(await this.permissions.listHeld(tx, actorId), target)) return;
    throw new ApiError('permission-denied', 'No matching permissions found', 'AUTH-3jknH');
  }
}
