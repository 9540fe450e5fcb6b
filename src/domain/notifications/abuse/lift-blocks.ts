import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import type { UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { SmsLimitsStore } from './sms-limits.store.js';

export function blockNotFound(): ApiError {
  return new ApiError('not-found', 'Numbers with this prefix are not blocked', 'SMS-Bl5nf');
}

/**
 * The conversion monitor cannot distinguish a failed campaign from pumping (security S139): an operator who knows what
 * happened may end a block. The prefix is then judged by what is queued from now on, so that the same messages do not
 * block it again.
 */
@Injectable()
export class LiftBlocks {
  constructor(
    private readonly limits: SmsLimitsStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found where nothing is blocked (any more) */
  async execute(tx: Tx, prefix: string, actorId: UserId): Promise<ResourceDetails> {
    const lifted = await this.limits.liftBlock(tx, prefix);
    if (lifted === undefined) throw blockNotFound();
    const { details, reason } = lifted;
    await this.events.append(tx, {
      orgId: null,
      aggregateType: 'sms_prefix',
      aggregateId: prefix,
      sequence: details.sequence,
      type: 'sms.prefix.unblocked',
      actorId,
      data: { reason },
    });
    return details;
  }
}
