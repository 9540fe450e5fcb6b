import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { userEvent } from '../../events/user-event.js';
import { FactorPolicies } from '../../policies/factor-policies.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { UsersStore } from '../../users/users.store.js';
import type { PasskeyCredential } from '../passkey.js';
import { PasskeysStore } from '../passkeys.store.js';

/** Result of checking a passkey's counter: it increased; it went back, now or before, but is accepted; it is refused for that. */
type CounterVerdict = 'went-on' | 'any' | 'refused';

/** Whether a passkey may have been copied, and what the policy of its organization says to that (WebAuthn §6.1.1). */
@Injectable()
export class PasskeyCounter {
  constructor(
    private readonly policies: FactorPolicies,
    private readonly passkeys: PasskeysStore,
    private readonly users: UsersStore,
    private readonly events: EventsStore,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * Recorded whatever the outcome of the sign-in, in a transaction of its own. Unless the policy accepts it, a passkey whose counter
   * went back once stays refused: a copy increases its counter with each attempt, and would be accepted once it has caught up.
   */
  async judge(passkey: PasskeyCredential, shownCount: number): Promise<CounterVerdict> {
    const wentBack = hasGoneBack(passkey.signCount, shownCount);
    if (!wentBack && !passkey.maybeCopied) return 'went-on';
    const { passkeyCounter } = await this.policies.find(passkey.orgId);
    if (wentBack) await this.note(passkey, passkeyCounter === 'refuse');
    return passkeyCounter === 'event' ? 'any' : 'refused';
  }

  private async note({ id, orgId, userId }: PasskeyCredential, refused: boolean): Promise<void> {
    await this.unitOfWork.run(async (tx) => {
      const user = await this.users.lockForUpdate(tx, orgId, userId);
      if (user === undefined) return;
      await this.passkeys.noteCounterWentBack(tx, id);
      const details = await this.users.countChange(tx, user);
      const change = { orgId, userId, actorId: null };
      await this.events.append(tx, {
        ...userEvent(change, details, 'user.human.passkey.counter_went_back'),
        data: { passkeyId: id, refused },
      });
    });
  }
}

/** Authenticators that do not count say 0 each time (WebAuthn §6.1.1). */
function hasGoneBack(known: number, shown: number): boolean {
  return (known > 0 || shown > 0) && shown <= known;
}
