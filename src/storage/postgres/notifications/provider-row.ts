import type { Provider } from '../../../domain/notifications/providers/provider.js';
import type { SealedPlace } from '../../../domain/secrets/sealer.js';
import type { ProviderId } from '../../../domain/shared/ids.js';
import { pick } from '../table.js';
import type { NotificationProviderEntity } from '../tables/notification-provider.entity.js';

/** What a plan says; the id and the version are the row's. */
export const PLAN = [
  'name',
  'kind',
  'channel',
  'priority',
  'ratePerSecond',
  'connections',
  'settings',
] as const satisfies readonly (keyof Provider)[];

/** Without the secret, which only what talks to the provider opens. */
export function toProvider(row: NotificationProviderEntity): Provider {
  // kind, channel and settings were written together, from one record
  return { ...pick(row, ['id', ...PLAN]), version: row.sequence } as Provider;
}

/** Where a provider's secret is sealed for. */
export function providerPlace(id: ProviderId): SealedPlace {
  return {
    purpose: 'provider-secret',
    table: 'notification_providers',
    column: 'secret_sealed',
    rowId: id,
  };
}
