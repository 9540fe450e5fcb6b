import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { StoredPolicy } from './policies.store.js';
import type { TokenPolicy } from './token-policy.js';

/**
 * What the instance decided about the lifetimes of tokens, for organizations that decided nothing. What is left out is
 * as the service is configured. Issuing gets it with the application, in the round trip that finds that.
 */
export abstract class OidcSettingsStore {
  /** Undefined as long as nobody has set any. */
  abstract find(): Promise<StoredPolicy<TokenPolicy> | undefined>;

  /** Keeps the settings from everybody else until the transaction ends; undefined as long as nobody has set any. */
  abstract lockForUpdate(tx: Tx): Promise<TokenPolicy | undefined>;

  /** After `lockForUpdate` in the same transaction. */
  abstract replace(tx: Tx, settings: TokenPolicy): Promise<ResourceDetails>;
}
