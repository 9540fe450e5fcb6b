import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { KeyChainsStore } from './key-chains.store.js';
import type { KeySchedule } from './key-schedule.js';
import { KeysStore } from './keys.store.js';

/** Says how often keys change. A key that leads up already takes over when that was planned for. */
@Injectable()
export class ChangeKeySchedule {
  constructor(
    private readonly keys: KeysStore,
    private readonly chains: KeyChainsStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError invalid-argument when a key would have to be replaced before it signs */
  async replace(tx: Tx, schedule: KeySchedule, actorId: string): Promise<ResourceDetails> {
    const { rotationSeconds, leadSeconds } = schedule;
    if (rotationSeconds > 0 && rotationSeconds < 2 * leadSeconds) {
      throw new ApiError('invalid-argument', 'rotationPeriod must be 0s, or at least twice the leadTime');
    }
    await this.keys.lock(tx);
    const details = await this.chains.replaceSchedule(tx, schedule);
    await this.events.append(tx, {
      orgId: null,
      aggregateType: 'key_schedule',
      aggregateId: 'keys',
      sequence: details.sequence,
      type: 'key_schedule.changed',
      actorId,
      data: { rotationSeconds, leadSeconds },
    });
    return details;
  }
}
