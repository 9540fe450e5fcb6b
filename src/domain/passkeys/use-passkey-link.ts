import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import type { Tx } from '../shared/unit-of-work.js';
import { UsersStore } from '../users/users.store.js';
import { UseEmailCode } from '../users/verification/use-email-code.js';
import {
  VerificationCodesStore,
  type CodeToEvaluate,
} from '../users/verification/verification-codes.store.js';

/**
 * Uses a link that adds a passkey up. Who had nothing to sign in with is active from now on. The mail that was to give them a password
 * has done its part: the address is verified after the next sign-in, as with everybody else.
 */
@Injectable()
export class UsePasskeyLink {
  constructor(
    private readonly users: UsersStore,
    private readonly useCode: UseEmailCode,
    private readonly codes: VerificationCodesStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws CodeRefused where it is over */
  async execute(tx: Tx, code: CodeToEvaluate): Promise<void> {
    const { orgId, userId } = code;
    const before = await this.users.lockForUpdate(tx, orgId, userId);
    const details = await this.useCode.execute(tx, code, { newPassword: true });
    if (before?.state !== 'initial') return;
    await this.codes.endLive(tx, userId, 'initialise');
    const event = userEvent({ orgId, userId, actorId: userId }, details, 'user.human.initialised');
    await this.events.append(tx, { ...event, fields: ['state'] });
  }
}
