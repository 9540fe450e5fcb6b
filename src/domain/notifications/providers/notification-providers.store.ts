import type { ProviderId } from '../../shared/ids.js';
import type { NotificationChannel } from '../notifications.store.js';
import type { Provider } from './provider.js';

/** Which providers there are for those who send. What administrators see of them is `ProviderRecordsStore`. */
export abstract class NotificationProvidersStore {
  /**
   * Active ones, in the order in which they are to be tried. Remembered for two seconds at most: a provider that was
   * switched off gets no message later than that.
   */
  abstract usable(channel: NotificationChannel): Promise<readonly Provider[]>;

  /** Remembered as above. @returns undefined when there is none, or it is not active */
  abstract findActive(id: ProviderId): Promise<Provider | undefined>;

  /** After a change by this process, which is to see it at once. */
  abstract forget(): void;
}
