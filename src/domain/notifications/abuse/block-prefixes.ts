import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { Log } from '../../shared/log.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { destinationOf } from './sms-destination.js';
import { SmsLimitSettings } from './sms-limit-settings.js';
import { LOW_CONVERSION, SmsLimitsStore } from './sms-limits.store.js';
import { SmsMeter } from './sms-meter.js';
import { SmsPrefixes, type E164 } from './sms-prefixes.js';

/**
 * Messages to a block of numbers that hardly anybody answers are what pumping looks like from our side (security S139).
 * Only messages that users asked for themselves are held against a prefix: who was imported did not ask for any.
 */
@Injectable()
export class BlockPrefixes extends SmsPrefixes {
  constructor(
    private readonly limits: SmsLimitsStore,
    private readonly events: EventsStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly settings: SmsLimitSettings,
    private readonly meter: SmsMeter,
    private readonly log: Log,
  ) {
    super();
  }

  override async flag(prefixOf: E164, reason: string): Promise<void> {
    await this.block(destinationOf(prefixOf, this.settings.prefixTail).prefix, reason, {});
  }

  /** Blocks the prefix of this number when too few of the messages to it were answered. */
  async watch(number: E164): Promise<void> {
    const { sends, percent, windowSeconds, graceSeconds } = this.settings.conversion;
    if (sends === 0) return;
    const { prefix } = destinationOf(number, this.settings.prefixTail);
    const { sent, verified } = await this.limits.conversion(prefix, windowSeconds, graceSeconds);
    if (sent < sends || verified * 100 >= percent * sent) return;
    await this.block(prefix, LOW_CONVERSION, { sent, verified });
  }

  private async block(prefix: string, reason: string, data: Readonly<Record<string, number>>): Promise<void> {
    const { blockSeconds } = this.settings;
    const blocked = await this.unitOfWork.run(async (tx) => {
      const sequence = await this.limits.block(tx, prefix, reason, blockSeconds);
      if (sequence === undefined) return false;
      await this.events.append(tx, {
        orgId: null,
        aggregateType: 'sms_prefix',
        aggregateId: prefix,
        sequence,
        type: 'sms.prefix.blocked',
        actorId: null,
        data: { reason, blockSeconds, ...data },
      });
      return true;
    });
    if (!blocked) return;
    this.meter.blocked();
    this.log.warn('a number prefix is blocked for SMS', { prefix, reason, ...data });
  }
}
