import type { ChannelError } from '../notifications/channels.js';
import type { OrgId } from '../shared/ids.js';

/** What somebody's server answered. */
export interface WebhookAnswer {
  readonly status: number;
  /** At the earliest; undefined where it did not say. */
  readonly retryAfterMs: number | undefined;
  /** Empty where it was too long. */
  readonly body: string;
}

/**
 * The failure as shown to the webhook's managers: organizations must not learn whether a name exists in our own network, so to
 * them it is unknown.
 */
export function reasonToldTo(orgId: OrgId | null, { reason }: ChannelError): string {
  return orgId !== null && reason === 'address_refused' ? 'http_dns' : reason;
}

/**
 * Sends events to webhooks. It never follows a redirect, and calls no address that this service must not call, whatever the name
 * resolves to at that moment.
 */
export abstract class WebhookEndpoint {
  /**
   * POSTs a body of JSON.
   * @param timeoutMs for name, connection, handshake, request and answer together
   * @throws ChannelError where nothing was answered: refused, not reached, or too late
   */
  abstract post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    timeoutMs: number,
  ): Promise<WebhookAnswer>;
}
