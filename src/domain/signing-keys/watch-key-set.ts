import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { Log } from '../shared/log.js';
import { stuckChains } from './due-steps.js';
import { MOST_KEYS } from './key-set-capacity.js';
import { KeySettings } from './key-settings.js';
import { SigningKeysStore } from './signing-keys.store.js';

/** The interval between two alarms while the condition lasts. */
const ALARM_PAUSE_SECONDS = 3_600;

/** Records an event if keys cannot rotate because there is no room for new ones. Those in use keep signing. */
@Injectable()
export class WatchKeySet {
  constructor(
    private readonly keys: SigningKeysStore,
    private readonly events: EventsStore,
    private readonly settings: KeySettings,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    const stuck = stuckChains(await this.keys.now(), this.settings.leaseMs);
    if (stuck.length === 0) return;
    const data = { chains: stuck.length, mostKeys: MOST_KEYS };
    if (!(await this.events.raiseAlarm('key_set_full', ALARM_PAUSE_SECONDS, data))) return;
    this.log.warn(
      'the key set is full: keys are not rotated until keys that no longer sign are removed',
      data,
    );
  }
}
