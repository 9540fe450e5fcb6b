import { Injectable } from '@nestjs/common';
import { ChangeUserState } from '../accounts/change-user-state.js';
import { DeleteUser } from '../accounts/delete-user.js';
import { EndSessionsOfUser } from '../accounts/end-sessions-of-user.js';
import { EffectiveRoles } from '../permissions/effective-roles.js';
import { allows } from '../permissions/permissions.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { BulkActionKind, NextUser } from './bulk-action.js';

/**
 * Does to one user what was asked for. The same rules hold as for the single calls, and the right to it is asked for again with
 * every user: whoever loses it does no more by what they began.
 */
@Injectable()
export class ActOnUser {
  constructor(
    private readonly roles: EffectiveRoles,
    private readonly states: ChangeUserState,
    private readonly sessions: EndSessionsOfUser,
    private readonly deletion: DeleteUser,
  ) {}

  /** @throws ApiError */
  async execute(tx: Tx, next: NextUser): Promise<void> {
    const { orgId, actorId, userId, action } = next;
    if (actorId === userId) {
      throw new ApiError('failed-precondition', 'Nobody does this to themselves', 'COMMAND-bA5me');
    }
    // what would end a call ends this: the token is asked again with every user, and so is who came with it
    const isLetIn = next.callerActive && !next.tokenRevoked;
    const roles = (isLetIn && (await this.roles.inOrganization(next, orgId, tx))) || [];
    if (!allows(roles, 'user.write')) {
      throw new ApiError('permission-denied', 'No matching permissions found', 'AUTH-5mWD2');
    }
    const actions: Readonly<Record<BulkActionKind, () => Promise<unknown>>> = {
      lock: () => this.states.lock(tx, next),
      unlock: () => this.states.unlock(tx, next),
      deactivate: () => this.states.deactivate(tx, next),
      reactivate: () => this.states.reactivate(tx, next),
      sign_out: () => this.sessions.all(tx, next, { keepOfflineAccess: false }),
      delete: () => this.deletion.execute(tx, next),
    };
    await actions[action]();
  }
}
