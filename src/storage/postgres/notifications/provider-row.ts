import type { NotificationChannel } from '../../../domain/notifications/notifications.store.js';
import type { Provider, ProviderKind } from '../../../domain/notifications/providers/provider.js';
import type { SealedPlace } from '../../../domain/secrets/sealer.js';
import type { ProviderId } from '../../../domain/shared/ids.js';

/** Without the secret: that one is read by its own statement only. */
export const PROVIDER_COLUMNS = `id, name, kind, channel, state, priority, rate_per_second, connections, settings,
  sequence, created_at, changed_at, (SELECT default_org_id FROM instance) AS org_id`;

export type ProviderRow = {
  id: ProviderId;
  name: string;
  kind: ProviderKind;
  channel: NotificationChannel;
  state: 'active' | 'inactive';
  priority: number;
  rate_per_second: number | null;
  connections: number;
  settings: object;
  sequence: string;
};

export function toProvider(row: ProviderRow): Provider {
  // kind, channel and settings were written together, from one record
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    channel: row.channel,
    priority: row.priority,
    ratePerSecond: row.rate_per_second,
    connections: row.connections,
    version: row.sequence,
    settings: row.settings,
  } as Provider;
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
