import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { SmsLimitsStore } from '../../notifications/abuse/sms-limits.store.js';
import type { ResourceDetails } from '../../shared/details.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { UsersStore } from '../users.store.js';
import { CodeRefused } from './use-email-code.js';
import { VerificationCodesStore, type CodeToEvaluate } from './verification-codes.store.js';

/**
 * The effect of a right code from an SMS: it is consumed, and the number it went to is verified, provided that it still is
 * the user's number and that the user is not locked or deactivated. A number is no login name, so two users may share one.
 */
@Injectable()
export class UsePhoneCode {
  constructor(
    private readonly codes: VerificationCodesStore,
    private readonly users: UsersStore,
    private readonly limits: SmsLimitsStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws CodeRefused */
  async execute(tx: Tx, { id, orgId, userId, target }: CodeToEvaluate): Promise<ResourceDetails> {
    // the user's row before their codes, as every change of a user does: two at once must not wait in a circle
    await this.users.lockForUpdate(tx, orgId, userId);
    if (!(await this.codes.end(tx, id))) throw new CodeRefused('link-over');
    if (!(await this.users.confirmPhone(tx, orgId, userId, target))) throw new CodeRefused('link-over');
    const details = await this.users.recordChange(tx, orgId, userId, { newPassword: false });
    if (details === undefined) throw new CodeRefused('link-over');
    await this.limits.recordVerified(tx, id);
    await this.events.append(tx, {
      orgId,
      aggregateType: 'user',
      aggregateId: userId,
      sequence: details.sequence,
      type: 'user.human.phone.verified',
      actorId: userId,
      fields: ['phoneVerified'],
    });
    return details;
  }
}
