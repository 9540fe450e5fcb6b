import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { InstanceOwner } from '../permissions/permissions.store.js';
import type { Tx } from '../shared/unit-of-work.js';
import { UsersStore } from '../users/users.store.js';
import { HandOutLink, type HandedOutLink } from '../users/verification/hand-out-link.js';
import { CODE_LIFETIME_MS } from '../users/verification/verification-code.js';
import { operatorEvent } from './restore-administrator-access.js';

/** Long enough to pass a link on, where a mail's code has ten minutes. */
const RECOVERY_LIFETIME_MS = 3_600_000;

/** The one-time link by which an administrator sets a password, be it the first or another one. */
@Injectable()
export class HandOutRecoveryLink {
  constructor(
    private readonly users: UsersStore,
    private readonly handOutLink: HandOutLink,
    private readonly events: EventsStore,
  ) {}

  /** @param osUser account of the machine at which the command runs, for the audit log */
  async execute(tx: Tx, owner: InstanceOwner, osUser: string | undefined): Promise<HandedOutLink> {
    const { orgId, userId, email } = owner;
    const isInitial = (await this.users.findState(tx, orgId, userId)) === 'initial';
    const link = await this.handOutLink.execute(tx, {
      orgId,
      userId,
      purpose: isInitial ? 'initialise' : 'reset_password',
      target: email,
      lifetimeMs: isInitial ? CODE_LIFETIME_MS.initialise : RECOVERY_LIFETIME_MS,
    });
    const details = await this.users.recordChange(tx, orgId, userId, { newPassword: false });
    const event = operatorEvent(owner, details, 'user.human.password.recovery_started', osUser);
    await this.events.append(tx, event);
    return link;
  }
}
