// SQL by hand: the sealed secret beside a provider is read by its own statement only
import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import type { NotificationChannel } from '../../../domain/notifications/notifications.store.js';
import { NotificationProvidersStore } from '../../../domain/notifications/providers/notification-providers.store.js';
import type { Provider } from '../../../domain/notifications/providers/provider.js';
import type { ProviderId } from '../../../domain/shared/ids.js';
import { Sql } from '../sql.js';
import { configuredProviders } from './configured-providers.js';
import { PROVIDER_COLUMNS, toProvider, type ProviderRow } from './provider-row.js';

const REMEMBER_MS = 2_000;

const ACTIVE = {
  name: 'notification-providers-active',
  text: `SELECT ${PROVIDER_COLUMNS} FROM notification_providers WHERE state = 'active'
         ORDER BY priority, created_at, id`,
};

@Injectable()
export class PgNotificationProvidersStore extends NotificationProvidersStore {
  private readonly configured: readonly Provider[];
  private remembered:
    { readonly until: number; readonly providers: Promise<readonly Provider[]> } | undefined;

  constructor(
    private readonly sql: Sql,
    config: Config,
  ) {
    super();
    this.configured = configuredProviders(config.app);
  }

  override async usable(channel: NotificationChannel): Promise<readonly Provider[]> {
    return (await this.active()).filter((provider) => provider.channel === channel);
  }

  override async findActive(id: ProviderId): Promise<Provider | undefined> {
    return (await this.active()).find((provider) => provider.id === id);
  }

  override forget(): void {
    this.remembered = undefined;
  }

  private async active(): Promise<readonly Provider[]> {
    const now = performance.now();
    // counted from the question, not from its answer
    if (this.remembered === undefined || this.remembered.until <= now) {
      this.remembered = { until: now + REMEMBER_MS, providers: this.read() };
    }
    const asked = this.remembered;
    try {
      return await asked.providers;
    } catch (error) {
      if (this.remembered === asked) this.remembered = undefined;
      throw error;
    }
  }

  private async read(): Promise<readonly Provider[]> {
    const rows = await this.sql.rows<ProviderRow>(ACTIVE, []);
    return [...rows.map(toProvider), ...this.configured];
  }
}
