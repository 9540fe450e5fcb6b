import { Injectable } from '@nestjs/common';
import type { ProofKind } from '../sessions/proof.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import type { SessionId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { FactorsStore, heldKinds } from './factors.store.js';

/**
 * Whoever sets up their first factor has shown it by that, and is not asked for it again in the session where they did.
 * Whoever has another one already is: or a session that lacks it could make up for it with one of its own making.
 */
@Injectable()
export class FirstFactor {
  constructor(
    private readonly factors: FactorsStore,
    private readonly sessions: SessionsStore,
  ) {}

  /**
   * Before the factor is stored, with the user's row locked.
   * @param session where it is set up; what is none is left alone
   */
  async note(tx: Tx, userId: UserId, session: string, kind: ProofKind): Promise<void> {
    if (heldKinds(await this.factors.findUsable(userId)).length > 0) return;
    await this.sessions.addProof(tx, session as SessionId, kind, 'set-up');
  }
}
