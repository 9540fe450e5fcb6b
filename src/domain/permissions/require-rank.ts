import { Injectable } from '@nestjs/common';
import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { inPerson, type Acting } from './acting.js';
import { EffectiveRoles } from './effective-roles.js';
import { outranksOrEquals } from './rank.js';

/** What is asked for is beyond the roles of whoever asks. */
export function outranked(): ApiError {
  return new ApiError('permission-denied', 'No matching permissions found', 'AUTH-3jknH');
}

/**
 * Whoever makes credentials for another user, or takes them over by a new password or address, must not gain by it
 * what they may not do themselves. Asked in the transaction that makes them. Somebody's own account is no exception
 * where they act through an application that may do less than they may.
 */
@Injectable()
export class RequireRank {
  constructor(private readonly roles: EffectiveRoles) {}

  /** @throws ApiError permission-denied when the target holds a role beyond the actor's reach, in any organization */
  async check(tx: Tx, acting: Acting, targetId: UserId): Promise<void> {
    if (acting.actorId === targetId && acting.through === null) return;
    const target = await this.roles.everywhere(inPerson(targetId), tx);
    if (target.length === 0) return;
    if (outranksOrEquals(await this.roles.everywhere(acting, tx), target)) return;
    throw outranked();
  }

  /**
   * Who answers for a credential with their rank, should whom it is of rise (`RevokeOutrankedCredentials`). Whoever holds a token that
   * stands for less than all of its user is not that user: nobody answers then.
   */
  async answersFor(tx: Tx, acting: Acting): Promise<UserId | undefined> {
    if (acting.through === null) return acting.actorId;
    const held = await this.roles.everywhere(inPerson(acting.actorId), tx);
    return outranksOrEquals(await this.roles.everywhere(acting, tx), held) ? acting.actorId : undefined;
  }
}
