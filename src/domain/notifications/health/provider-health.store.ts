import type { ProviderId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { ProviderHealth } from './provider-health.js';

/** Which provider is meant, and with which settings: changed settings start anew. */
export interface HealthOf {
  readonly id: ProviderId;
  readonly version: string;
}

export interface KnownHealth extends ProviderHealth, HealthOf {
  /** Until its time is over, in milliseconds of the database's clock; 0 when it may be probed or is closed. */
  readonly waitMs: number;
  readonly changedAt: Date;
}

/**
 * What the workers share about providers, those of the configuration too: how they are doing, who probes, whose turn it
 * is. In Postgres, so that a flushed Redis opens no gate.
 */
export abstract class ProviderHealthStore {
  /** Of every provider that ever failed. */
  abstract list(): Promise<readonly KnownHealth[]>;

  /** Locks the row until the transaction ends, making it where there is none. Of other settings: healthy. */
  abstract lock(tx: Tx, provider: HealthOf): Promise<{ readonly health: ProviderHealth; readonly now: Date }>;

  /** @returns the row's own number of changes */
  abstract write(tx: Tx, provider: HealthOf, health: ProviderHealth): Promise<string>;

  /**
   * Takes the one probe that may be under way, for `holdMs`. An urgent one may go while the provider is open too.
   * @returns false when there is one already
   */
  abstract takeProbe(provider: HealthOf, urgent: boolean, holdMs: number): Promise<boolean>;

  /**
   * Takes the next turn of a provider that takes only so many messages a second, from all workers together.
   * @param horizonMs turns that come later than this are not taken
   * @returns how long to wait for the turn; undefined when none was taken
   */
  abstract takeTurn(
    provider: HealthOf,
    ratePerSecond: number,
    horizonMs: number,
  ): Promise<number | undefined>;
}
