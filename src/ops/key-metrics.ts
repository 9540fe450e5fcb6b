import { Injectable } from '@nestjs/common';
import { chainAges } from '../domain/signing-keys/due-steps.js';
import { MOST_KEYS } from '../domain/signing-keys/key-set-capacity.js';
import { KeySettings } from '../domain/signing-keys/key-settings.js';
import { SigningKeysStore } from '../domain/signing-keys/signing-keys.store.js';
import { Metrics } from './metrics.js';

/** How old the keys are that sign and seal, and whether their rotation is late. */
@Injectable()
export class KeyMetrics {
  constructor(metrics: Metrics, keys: SigningKeysStore, settings: KeySettings) {
    const age = metrics.gauge('identity_key_age_seconds', 'Since the current key is in use', ['chain']);
    const overdue = metrics.gauge(
      'identity_key_rotation_overdue_seconds',
      'Since a step of the rotation should have been taken; a minute is usual, more wants looking at',
      ['chain'],
    );
    const kept = metrics.gauge(
      'identity_keys',
      `Keys that sign or whose tokens may live; of signing keys, and of those of opaque tokens, at most ${MOST_KEYS}`,
      ['chain'],
    );
    metrics.addReading([age, overdue, kept], async () => {
      const seen = await keys.now();
      const ages = chainAges(seen, settings.leaseMs);
      return () => {
        for (const { chain, ageSeconds, overdueSeconds } of ages) {
          age.set({ chain }, ageSeconds);
          overdue.set({ chain }, overdueSeconds);
        }
        kept.reset();
        for (const { chain } of seen.keys) kept.inc({ chain });
      };
    });
  }
}
