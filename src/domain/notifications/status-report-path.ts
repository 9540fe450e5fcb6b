import type { NotificationId } from '../shared/ids.js';

/** Where providers report what became of a message; its id follows. */
export const REPORTS_PATH = '/notifications/v1/reports';

/** As it is given to the provider, which signs it later. */
export function reportUrl(issuer: string, id: NotificationId): string {
  return new URL(`${REPORTS_PATH}/${encodeURIComponent(id)}`, issuer).href;
}
