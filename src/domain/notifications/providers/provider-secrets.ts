import type { ProviderId } from '../../shared/ids.js';

/** The one secret that a provider may have: password, auth token or signing key. Opened by whoever talks to it. */
export abstract class ProviderSecrets {
  /**
   * @returns undefined for a provider without one
   * @throws SealBroken when what is stored does not open
   */
  abstract open(id: ProviderId): Promise<string | undefined>;
}
