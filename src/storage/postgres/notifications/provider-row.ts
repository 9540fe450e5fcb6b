import type { Provider } from '../../../domain/notifications/providers/provider.js';
import type { SealedPlace } from '../../../domain/secrets/sealer.js';
import type { OrgId, ProviderId } from '../../../domain/shared/ids.js';
import { columns, pick } from '../table.js';
import { NotificationProviderEntity } from '../tables/notification-provider.entity.js';

const PLAN = [
  'id',
  'name',
  'kind',
  'channel',
  'priority',
  'ratePerSecond',
  'connections',
  'settings',
] as const satisfies readonly (keyof Provider)[];
const READ = [...PLAN, 'state', 'sequence', 'createdAt', 'changedAt'] as const;

/** Without the secret: that one is read by its own statement only. */
export const PROVIDER_COLUMNS = `${columns(NotificationProviderEntity, 'notification_providers', READ)},
  (SELECT default_org_id FROM instance) AS "orgId"`;

export type ProviderRow = Pick<NotificationProviderEntity, (typeof READ)[number]> & { orgId: OrgId };

export function toProvider(row: ProviderRow): Provider {
  // kind, channel and settings were written together, from one record
  return { ...pick(row, PLAN), version: row.sequence } as Provider;
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
