import { Injectable } from '@nestjs/common';
import { ChannelError } from '../notifications/channels.js';
import { Clock } from '../shared/clock.js';
import { randomId } from '../shared/random.js';
import { WEBHOOK_TIMEOUT_MS } from './deliver-events.js';
import { webhookNotFound } from './manage-webhooks.js';
import { reasonToldTo, WebhookEndpoint } from './webhook-endpoint.js';
import { signedHeaders } from './webhook-signature.js';
import { WebhooksStore, type WebhookPlace } from './webhooks.store.js';

/** Of no event, so that nobody takes it for one. */
export const PING = 'webhook.ping';

export interface WebhookTest {
  readonly delivered: boolean;
  /** What was answered; undefined where nothing was. */
  readonly status?: number | undefined;
  /** Why nothing was answered, by kind. */
  readonly reason?: string | undefined;
  readonly durationMs: number;
}

/** Sends a ping to a webhook, active or not, signed as an event is. */
@Injectable()
export class TestWebhook {
  constructor(
    private readonly webhooks: WebhooksStore,
    private readonly endpoint: WebhookEndpoint,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError not-found */
  async send(place: WebhookPlace): Promise<WebhookTest> {
    const found = await this.webhooks.find(place);
    if (found === undefined) throw webhookNotFound();
    const secrets = await this.webhooks.openSecrets(place.id);
    if (secrets.length === 0) return { delivered: false, reason: 'secret_unreadable', durationMs: 0 };
    const id = `${place.id}_ping_${randomId()}`;
    const timestamp = new Date(this.clock.nowMs()).toISOString();
    const body = JSON.stringify({ type: PING, timestamp, deliveryId: id, webhookId: place.id, data: {} });
    const headers = signedHeaders({ id, atSeconds: this.clock.nowSeconds(), body }, secrets);
    const begunAt = performance.now();
    const durationMs = () => Math.round(performance.now() - begunAt);
    try {
      const { status } = await this.endpoint.post(found.webhook.url, headers, body, WEBHOOK_TIMEOUT_MS);
      return { delivered: status >= 200 && status < 300, status, durationMs: durationMs() };
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      return { delivered: false, reason: reasonToldTo(place.orgId, error), durationMs: durationMs() };
    }
  }
}
