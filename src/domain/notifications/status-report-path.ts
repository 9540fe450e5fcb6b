import type { NotificationId } from '../shared/ids.js';

/** Where providers report what became of a message; its id follows. */
export const REPORTS_PATH = '/notifications/v1/reports';

/** As the provider is told it, and as it signs it later. */
export function reportUrl(issuer: string, id: NotificationId): string {
  return new URL(`${REPORTS_PATH}/${encodeURIComponent(id)}`, issuer).href;
}
