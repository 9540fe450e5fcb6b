import { NotificationsStore } from '../../src/domain/notifications/notifications.store.js';
import type { NotificationId, UserId } from '../../src/domain/shared/ids.js';
import type { TestApi } from './api.js';

/** The code of the newest message to a user, as the worker that sends it would read it. */
export async function newestCode(api: TestApi, userId: UserId): Promise<string> {
  const { rows } = await api.sql.query<{ id: NotificationId }>(
    `SELECT n.id FROM notifications n JOIN verification_codes c ON c.id = n.code_id
     WHERE n.user_id = $1 ORDER BY c.created_at DESC LIMIT 1`,
    [userId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('no message is queued');
  await api.sql.query(
    `UPDATE notifications SET state = 'pending', claimed_until = NULL WHERE id = $1 AND state = 'sending'`,
    [row.id],
  );
  const claim = await api.app.get(NotificationsStore).claim(row.id, ['email', 'sms'], 1_000);
  if (claim.kind !== 'claimed' || claim.notification.code === undefined) {
    throw new Error(`the message cannot be read: ${claim.kind}`);
  }
  return claim.notification.code;
}
