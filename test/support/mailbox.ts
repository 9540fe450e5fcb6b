import { EventsStore } from '../../src/domain/events/events.store.js';
import type { MailMessage } from '../../src/domain/notifications/channels.js';
import { NotificationsStore } from '../../src/domain/notifications/notifications.store.js';
import { NotificationProvidersStore } from '../../src/domain/notifications/providers/notification-providers.store.js';
import { OutboxStore } from '../../src/domain/outbox/outbox.store.js';
import type { NotificationId } from '../../src/domain/shared/ids.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import type { TestApi } from './api.js';
import { GivenProviders, sendingWith, smtpProvider, TestDoors } from './sending.js';

/** Sends what is queued, as the worker would, and gives what arrived since the last time. */
export async function collectMails(api: TestApi): Promise<readonly MailMessage[]> {
  const { app } = api;
  const doors = new TestDoors();
  const { send } = sendingWith({
    unitOfWork: app.get(UnitOfWork),
    notifications: app.get(NotificationsStore),
    outbox: app.get(OutboxStore),
    events: app.get(EventsStore),
    providers: new GivenProviders([smtpProvider('letterbox')], app.get(NotificationProvidersStore).health),
    doors,
    issuer: api.config.issuer.url,
  });
  const { rows } = await api.sql.query<{ id: string; notification: NotificationId }>(
    `SELECT id, payload->>'notificationId' AS notification FROM outbox WHERE queue = 'notifications' ORDER BY id`,
  );
  for (const { id, notification } of rows) await send.run(notification, id);
  return doors.mails;
}

/** The mail's link to one of our pages: its path with the query, and what stands in that. */
export function linkIn(
  mail: MailMessage | undefined,
  path: string,
): { url: string; id: string; code: string } {
  const found = new RegExp(`https?://[^/\\s]+(${path}\\?\\S+)`).exec(mail?.text ?? '')?.[1];
  if (found === undefined) throw new Error(`no link to ${path}`);
  const query = new URLSearchParams(found.slice(path.length + 1));
  return { url: found, id: query.get('id') ?? '', code: query.get('code') ?? '' };
}

/** A code of the right form that is not the right one. */
export function otherCode(code: string): string {
  return (code.startsWith('A') ? 'B' : 'A') + code.slice(1);
}
