import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { userEvent } from '../../events/user-event.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { FirstSignInMethod } from '../../users/sign-in-methods/first-sign-in-method.js';
import { UseEmailCode } from '../../users/verification/use-email-code.js';
import type { CodeToEvaluate } from '../../users/verification/verification-codes.store.js';

/** Uses a link that adds a passkey up, which may be the first thing that its user has to sign in with. */
@Injectable()
export class UsePasskeyLink {
  constructor(
    private readonly useCode: UseEmailCode,
    private readonly firstSignInMethod: FirstSignInMethod,
    private readonly events: EventsStore,
  ) {}

  /** @throws CodeRefused where it is over */
  async execute(tx: Tx, code: CodeToEvaluate): Promise<void> {
    const { orgId, userId } = code;
    const before = await this.useCode.useUp(tx, code);
    const details = await this.firstSignInMethod.count(tx, before);
    if (before.state !== 'initial') return;
    const event = userEvent({ orgId, userId, actorId: userId }, details, 'user.human.initialised');
    await this.events.append(tx, { ...event, fields: ['state'] });
  }
}
