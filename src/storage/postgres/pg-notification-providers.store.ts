import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { NotificationChannel } from '../../domain/notifications/notifications.store.js';
import { NotificationProvidersStore } from '../../domain/notifications/providers/notification-providers.store.js';
import type { Provider } from '../../domain/notifications/providers/provider.js';
import type { ProviderId } from '../../domain/shared/ids.js';
import { configuredProviders } from './configured-providers.js';

@Injectable()
export class PgNotificationProvidersStore extends NotificationProvidersStore {
  private readonly configured: readonly Provider[];

  constructor(config: Config) {
    super();
    this.configured = configuredProviders(config.app);
  }

  override async usable(channel: NotificationChannel): Promise<readonly Provider[]> {
    return this.configured.filter((provider) => provider.channel === channel);
  }

  override async findActive(id: ProviderId): Promise<Provider | undefined> {
    return this.configured.find((provider) => provider.id === id);
  }
}
