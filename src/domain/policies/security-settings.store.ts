import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { StoredPolicy } from './policies.store.js';

/** What the instance allows. */
export interface SecuritySettings {
  readonly enableImpersonation: boolean;
}

/** Nobody acts for another unless an instance owner has allowed it. */
export const defaultSecuritySettings: SecuritySettings = { enableImpersonation: false };

/** The instance is told by its default organization. */
export abstract class SecuritySettingsStore {
  /** Undefined as long as nobody has set any. */
  abstract find(): Promise<StoredPolicy<SecuritySettings> | undefined>;

  /** Keeps the settings from everybody else until the transaction ends. Undefined as long as nobody has set any. */
  abstract lockForUpdate(tx: Tx): Promise<SecuritySettings | undefined>;

  /** After `lockForUpdate` in the same transaction. */
  abstract replace(tx: Tx, settings: SecuritySettings): Promise<ResourceDetails>;
}
