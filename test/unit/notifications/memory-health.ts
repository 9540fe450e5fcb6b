import { HEALTHY, type ProviderHealth } from '../../../src/domain/notifications/health/provider-health.js';
import type {
  HealthOf,
  KnownHealth,
  SharedHealth,
} from '../../../src/domain/notifications/providers/notification-providers.store.js';
import type { Tx } from '../../../src/domain/shared/unit-of-work.js';

/** What the workers share about providers, in memory and by a clock that stands still. */
export class MemoryHealth implements SharedHealth {
  now = new Date('2027-01-01T00:00:00Z');
  probes = 0;
  turns: (number | undefined)[] = [];
  readonly rows = new Map<string, ProviderHealth & HealthOf>();

  list(): Promise<readonly KnownHealth[]> {
    const all = [...this.rows.values()].map((row) => {
      const waitMs = Math.max(0, (row.openUntil?.getTime() ?? 0) - this.now.getTime());
      return { ...row, waitMs, changedAt: this.now };
    });
    return Promise.resolve(all);
  }

  lock(_tx: Tx, { id, version }: HealthOf): Promise<{ health: ProviderHealth; now: Date }> {
    const row = this.rows.get(id);
    const health = row?.version === version ? row : HEALTHY;
    return Promise.resolve({ health, now: this.now });
  }

  write(_tx: Tx, { id, version }: HealthOf, health: ProviderHealth): Promise<string> {
    this.rows.set(id, { ...health, id, version });
    return Promise.resolve('2');
  }

  takeProbe(): Promise<boolean> {
    if (this.probes === 0) return Promise.resolve(false);
    this.probes -= 1;
    return Promise.resolve(true);
  }

  takeTurn(): Promise<number | undefined> {
    return Promise.resolve(this.turns.shift());
  }
}
