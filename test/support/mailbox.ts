import { EventsStore } from '../../src/domain/events/events.store.js';
import { MailChannel, type MailMessage } from '../../src/domain/notifications/channels.js';
import { NotificationsStore } from '../../src/domain/notifications/notifications.store.js';
import { SendNotification } from '../../src/domain/notifications/send-notification.js';
import { OutboxStore } from '../../src/domain/outbox/outbox.store.js';
import type { NotificationId } from '../../src/domain/shared/ids.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import type { TestApi } from './api.js';
import { ComposeMessages } from '../../src/domain/notifications/compose-messages.js';
import { MessageTemplatesStore } from '../../src/domain/notifications/templates/message-templates.store.js';

class Letterbox extends MailChannel {
  readonly configured = true;
  readonly received: MailMessage[] = [];

  override send(message: MailMessage): Promise<void> {
    this.received.push(message);
    return Promise.resolve();
  }
}

/** Sends what is owed, as the worker would, and gives what arrived since the last time. */
export async function collectMails(api: TestApi): Promise<readonly MailMessage[]> {
  const { app } = api;
  const letterbox = new Letterbox();
  const send = new SendNotification(
    app.get(UnitOfWork),
    app.get(NotificationsStore),
    app.get(OutboxStore),
    app.get(EventsStore),
    letterbox,
    new ComposeMessages(app.get(MessageTemplatesStore), { issuer: api.config.issuer.url }),
  );
  const { rows } = await api.sql.query<{ id: string; notification: NotificationId }>(
    `SELECT id, payload->>'notificationId' AS notification FROM outbox WHERE queue = 'notifications' ORDER BY id`,
  );
  for (const { id, notification } of rows) await send.run(notification, id);
  return letterbox.received;
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
