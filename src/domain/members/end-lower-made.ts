import { Injectable } from '@nestjs/common';
import { type HeldRole, outranksOrEquals } from '../permissions/rank.js';
import { PermissionsStore } from '../permissions/permissions.store.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { type CredentialOfUser, LowerMadeStore, type MadeCredential } from './lower-made.store.js';

/**
 * Whoever made a credential can act by it. `RequireRank` keeps them from making one for somebody above them, and this
 * keeps the user from rising above them with it: what a lower rank made ends in the transaction in which its user
 * rises. All that gives roles does it inside of this.
 */
@Injectable()
export class EndLowerMade {
  constructor(
    private readonly permissions: PermissionsStore,
    private readonly made: LowerMadeStore,
    private readonly sessions: SessionsStore,
  ) {}

  /** @param change sets the user's roles @returns its result, and what ended */
  async whileRolesChange<T>(
    tx: Tx,
    userId: UserId,
    actorId: UserId | null,
    change: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly ended: readonly MadeCredential[] }> {
    const orgId = await this.made.hold(tx, userId);
    const before = await this.permissions.listHeld(tx, userId);
    const result = await change();
    const after = await this.permissions.listHeld(tx, userId);
    // who reaches no further than before could have been spoken for by the same people
    if (outranksOrEquals(before, after)) return { result, ended: [] };
    const ended: MadeCredential[] = [];
    for (const credential of await this.made.list(tx, userId)) {
      if (outranksOrEquals(await this.rankOfMaker(tx, userId, before, credential), after)) continue;
      ended.push({ kind: credential.kind, id: credential.id });
    }
    if (ended.length > 0) await this.made.end(tx, userId, ended, actorId);
    if (orgId !== undefined && ended.some(({ kind }) => kind === 'password')) {
      await this.sessions.endOfUser(tx, { orgId, userId }, 'user_promoted', actorId);
    }
    return { result, ended };
  }

  /** What a user made for themselves was made in their old rank, perhaps by a credential of somebody else's. */
  private async rankOfMaker(
    tx: Tx,
    userId: UserId,
    before: readonly HeldRole[],
    { madeBy }: CredentialOfUser,
  ): Promise<readonly HeldRole[]> {
    if (madeBy === undefined) return [];
    if (madeBy === 'operator') return [{ role: 'IAM_OWNER', orgId: null }];
    return madeBy === userId ? before : await this.permissions.listHeld(tx, madeBy);
  }
}
