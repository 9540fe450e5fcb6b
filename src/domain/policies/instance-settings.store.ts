import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { StoredPolicy } from './policies.store.js';
import type { SecuritySettings } from './security-settings.js';
import type { TokenPolicy } from './token-policy.js';

/** What the instance decides, each by itself; it is told by its default organization. */
export interface InstanceSettings {
  /**
   * Lifetimes of tokens, for organizations that decided nothing. What is left out is as the service is configured.
   * Issuing gets it with the application, in the round trip that finds that.
   */
  readonly oidc: TokenPolicy;
  readonly security: SecuritySettings;
}
export type InstanceSettingsKind = keyof InstanceSettings;

export abstract class InstanceSettingsStore {
  /** Undefined as long as nobody has set any. */
  abstract find<Kind extends InstanceSettingsKind>(
    kind: Kind,
  ): Promise<StoredPolicy<InstanceSettings[Kind]> | undefined>;

  /** Keeps the settings from everybody else until the transaction ends; undefined as long as nobody has set any. */
  abstract lockForUpdate<Kind extends InstanceSettingsKind>(
    tx: Tx,
    kind: Kind,
  ): Promise<InstanceSettings[Kind] | undefined>;

  /** After `lockForUpdate` in the same transaction. */
  abstract replace<Kind extends InstanceSettingsKind>(
    tx: Tx,
    kind: Kind,
    settings: InstanceSettings[Kind],
  ): Promise<ResourceDetails>;
}
