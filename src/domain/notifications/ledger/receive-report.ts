import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import type { NotificationId, ProviderId } from '../../shared/ids.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { Counters } from '../../statistics/counters.js';
import { NotificationSettings } from '../notification-settings.js';
import { NotificationsStore } from '../notifications.store.js';
import { NotificationProvidersStore } from '../providers/notification-providers.store.js';
import { ProviderChannels } from '../providers/provider-channels.js';
import { reportUrl } from '../status-report-path.js';

/** The last words about a message; what comes before them changes nothing here. */
const OUTCOMES: Readonly<Record<string, 'delivered' | 'failed'>> = {
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'failed',
  failed: 'failed',
};
const ERROR_CODE = /^[0-9]{1,6}$/;

export interface SignedReport {
  readonly id: NotificationId;
  readonly signature: string;
  readonly parameters: Readonly<Record<string, string>>;
}

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
    private readonly providers: NotificationProvidersStore,
    private readonly channels: ProviderChannels,
    private readonly unitOfWork: UnitOfWork,
    private readonly events: EventsStore,
    private readonly settings: NotificationSettings,
    private readonly counters: Counters,
  ) {}

  /**
   * Whether a provider in use signed it, told without a look into the database. Twilio reports for all its customers
   * from the same addresses: who is slowed down must not be who signed.
   */
  async isSigned({ id, signature, parameters }: SignedReport): Promise<boolean> {
    const call = { url: reportUrl(this.settings.issuer, id), signature, parameters };
    const failures: unknown[] = [];
    for (const provider of await this.providers.usable('sms')) {
      try {
        if (await this.channels.isSigned(provider, call)) return true;
      } catch (error) {
        // whose secret cannot be read now may not be whose report it is
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return false;
  }

  /** @returns false when it is not from the provider that has the message: then nothing was looked at */
  async execute({ id, signature, parameters }: SignedReport): Promise<boolean> {
    const providerId = await this.notifications.providerOf(id);
    if (providerId === undefined) return false;
    const known = await this.providers.find(providerId as ProviderId);
    if (known === undefined) return false;
    const url = reportUrl(this.settings.issuer, id);
    if (!(await this.channels.isSigned(known.provider, { url, signature, parameters }))) return false;
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
