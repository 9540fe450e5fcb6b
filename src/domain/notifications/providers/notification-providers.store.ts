import type { ResourceDetails } from '../../shared/details.js';
import type { ProviderId } from '../../shared/ids.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { ProviderHealth } from '../health/provider-health.js';
import type { NotificationChannel } from '../notifications.store.js';
import type { Provider } from './provider.js';

export type ProviderState = 'active' | 'inactive';

/** A provider as administrators see it. */
export interface ProviderRecord {
  readonly provider: Provider;
  readonly state: ProviderState;
  /** Undefined for one that the configuration names: nobody changes that by the API. */
  readonly details: ResourceDetails | undefined;
}

type Planned<P> = P extends Provider ? Omit<P, 'id' | 'version'> : never;
/** What a provider is to be. */
export type ProviderPlan = Planned<Provider>;

/** The one secret of a provider: set, taken away, or left as it is. */
export type SecretChange = { readonly set: string } | 'none' | 'keep';

/** A provider with a version of its settings: changed settings reset its health. */
export interface HealthOf {
  readonly id: ProviderId;
  readonly version: string;
}

export interface KnownHealth extends ProviderHealth, HealthOf {
  /** Until its time is over, in milliseconds of the database's clock; 0 when it may be probed or is closed. */
  readonly waitMs: number;
  readonly changedAt: Date;
}

/** What the workers share about each provider: how it is doing, who probes, whose turn it is. */
export interface SharedHealth {
  /** How providers are doing, those of the configuration too: of every one that ever failed. */
  list(): Promise<readonly KnownHealth[]>;

  /** Locks how it is doing until the transaction ends, making it where there is none. Of other settings: healthy. */
  lock(tx: Tx, provider: HealthOf): Promise<{ readonly health: ProviderHealth; readonly now: Date }>;

  /** @returns the row's own number of changes */
  write(tx: Tx, provider: HealthOf, health: ProviderHealth): Promise<string>;

  /**
   * Takes the one probe that may be under way, for `holdMs`. An urgent one may go while the provider is open too.
   * @returns false when there is one already
   */
  takeProbe(provider: HealthOf, urgent: boolean, holdMs: number): Promise<boolean>;

  /**
   * Takes the next turn of a provider that takes only so many messages a second, from all workers together.
   * @param horizonMs turns that come later than this are not taken
   * @returns how long to wait for the turn; undefined when none was taken
   */
  takeTurn(provider: HealthOf, ratePerSecond: number, horizonMs: number): Promise<number | undefined>;
}

/**
 * Who carries mail and SMS out: for those who send, and as administrators see and change them; and what the workers share
 * about each.
 */
export abstract class NotificationProvidersStore {
  /** In Postgres, so that a flushed Redis opens no gate. */
  abstract readonly health: SharedHealth;

  /**
   * Active ones, in the order in which they are to be tried. Remembered for two seconds at most: a provider that was
   * switched off gets no message later than that.
   */
  abstract usable(channel: NotificationChannel): Promise<readonly Provider[]>;

  /** Remembered as above. @returns undefined when there is none, or it is not active */
  abstract findActive(id: ProviderId): Promise<Provider | undefined>;

  /** What is remembered: after a change by this process, which is to see it at once. */
  abstract forget(): void;

  /** Stored ones as the query says, and then those of the configuration. */
  abstract list(query: PageQuery): Promise<Page<ProviderRecord>>;

  abstract find(id: ProviderId): Promise<ProviderRecord | undefined>;

  /** A stored one, locked until the transaction ends. */
  abstract lockForUpdate(tx: Tx, id: ProviderId): Promise<ProviderRecord | undefined>;

  /** Inactive until somebody activates it. The secret is sealed. */
  abstract add(
    tx: Tx,
    plan: ProviderPlan,
    secret: string | undefined,
  ): Promise<{ readonly id: ProviderId; readonly details: ResourceDetails }>;

  abstract replace(
    tx: Tx,
    id: ProviderId,
    plan: ProviderPlan,
    secret: SecretChange,
  ): Promise<ResourceDetails | undefined>;

  /** @returns undefined when there is none, or it is in that state */
  abstract setState(tx: Tx, id: ProviderId, state: ProviderState): Promise<ResourceDetails | undefined>;

  abstract remove(tx: Tx, id: ProviderId): Promise<ResourceDetails | undefined>;
}
