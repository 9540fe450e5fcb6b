import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import type { ProviderId } from '../../shared/ids.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { Counters } from '../../statistics/counters.js';
import { NotificationsStore } from '../notifications.store.js';
import { VerifyReport, type SignedReport } from './verify-report.js';

/** The last words about a message; what comes before them changes nothing here. */
const OUTCOMES: Readonly<Record<string, 'delivered' | 'failed'>> = {
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'failed',
  failed: 'failed',
};
const ERROR_CODE = /^[0-9]{1,6}$/;

/**
 * What Twilio reports of a message that it took (its "status callback"). Believed only when it is signed with the
 * secret of the very provider that was handed the message, over the URL that we gave it; that one may have been switched
 * off since, but not removed. Reports may come twice, late or in any order: each is a statement about one row that either
 * still has something to learn or has not.
 */
@Injectable()
export class ReceiveReport {
  constructor(
    private readonly notifications: NotificationsStore,
    private readonly verifyReport: VerifyReport,
    private readonly unitOfWork: UnitOfWork,
    private readonly events: EventsStore,
    private readonly counters: Counters,
  ) {}

  /** @returns false when it is not from the provider that has the message: then nothing was looked at */
  async execute(report: SignedReport): Promise<boolean> {
    const { id, parameters } = report;
    const providerId = await this.notifications.providerOf(id);
    if (providerId === undefined) return false;
    if (!(await this.verifyReport.isOf(providerId as ProviderId, report))) return false;
    const outcome = OUTCOMES[parameters['MessageStatus'] ?? ''];
    const providerMessageId = parameters['MessageSid'];
    if (outcome === undefined || providerMessageId === undefined) return true;
    const code = parameters['ErrorCode'] ?? '';
    const reason = outcome === 'delivered' ? null : ERROR_CODE.test(code) ? `twilio_${code}` : 'undelivered';
    await this.unitOfWork.run(async (tx) => {
      const changed = await this.notifications.report(tx, {
        id,
        providerId,
        providerMessageId,
        outcome,
        reason,
      });
      if (changed === undefined) return;
      if (outcome === 'failed') this.counters.addAfterCommit(tx, changed.orgId, 'messagesFailed');
      await this.events.append(tx, {
        orgId: changed.orgId,
        aggregateType: 'notification',
        aggregateId: id,
        sequence: changed.sequence,
        type: `notification.${outcome === 'delivered' ? 'delivered' : 'undelivered'}`,
        actorId: null,
        data: { userId: changed.userId, ...(reason === null ? {} : { reason }) },
      });
    });
    return true;
  }
}
