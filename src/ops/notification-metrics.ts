import { Injectable } from '@nestjs/common';
import { NotificationsStore } from '../domain/notifications/notifications.store.js';
import { NotificationProvidersStore } from '../domain/notifications/providers/notification-providers.store.js';
import { Metrics } from './metrics.js';

/** How messages are doing: providers that get nothing for now, and dead letters that nobody has looked at. */
@Injectable()
export class NotificationMetrics {
  constructor(metrics: Metrics, providers: NotificationProvidersStore, notifications: NotificationsStore) {
    const held = metrics.gauge(
      'identity_notification_providers_held',
      'Providers that get nothing for now: "open" after failures in a row, "paused" for a reason of the account',
      ['state'],
    );
    metrics.addReading([held], async () => {
      const waiting = (await providers.health.list()).filter(({ openUntil }) => openUntil !== undefined);
      return () => {
        held.set({ state: 'paused' }, waiting.filter(({ paused }) => paused).length);
        held.set({ state: 'open' }, waiting.filter(({ paused }) => !paused).length);
      };
    });

    const dead = metrics.gauge('identity_notifications_dead', 'Dead letters (counted up to 10000)', []);
    metrics.addReading([dead], async () => {
      const count = await notifications.countDead();
      return () => dead.set(count);
    });
  }
}
