import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { KeySchedule } from './key-schedule.js';
import { shortestRotationSeconds } from './key-set-capacity.js';
import { KeySettings, servedAlgorithms } from './key-settings.js';
import { SigningKeysStore } from './signing-keys.store.js';

/** Says how often keys change. A key that leads up already takes over when that was planned for. */
@Injectable()
export class ChangeKeySchedule {
  constructor(
    private readonly keys: SigningKeysStore,
    private readonly events: EventsStore,
    private readonly settings: KeySettings,
  ) {}

  /** The least that is taken for a rotation; signing keys of every algorithm that is served share the set. */
  shortestSeconds(): number {
    return shortestRotationSeconds(servedAlgorithms(this.settings).length);
  }

  /**
   * @throws ApiError invalid-argument when a key would have to be replaced before it signs, or more keys would be kept
   * for their tokens than there is room for
   */
  async replace(tx: Tx, schedule: KeySchedule, actorId: string): Promise<ResourceDetails> {
    const { rotationSeconds, leadSeconds } = schedule;
    if (rotationSeconds > 0 && rotationSeconds < 2 * leadSeconds) {
      throw new ApiError('invalid-argument', 'rotationPeriod must be 0s, or at least twice the leadTime');
    }
    const shortest = this.shortestSeconds();
    if (rotationSeconds > 0 && rotationSeconds < shortest) {
      throw new ApiError('invalid-argument', `rotationPeriod must be 0s, or at least ${shortest}s`);
    }
    await this.keys.lock(tx);
    const details = await this.keys.replaceSchedule(tx, schedule);
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
