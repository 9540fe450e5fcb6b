import { Injectable } from '@nestjs/common';
import { WebhookDeliveriesStore } from '../domain/webhooks/webhook-deliveries.store.js';
import { WebhookMeter, type WebhookOutcome } from '../domain/webhooks/webhook-meter.js';
import { Metrics } from './metrics.js';

/** Attempts of this process. */
@Injectable()
export class WebhookOutcomes extends WebhookMeter {
  constructor(private readonly metrics: Metrics) {
    super();
  }

  override count(outcome: WebhookOutcome): void {
    this.metrics.webhookDeliveries.inc({ outcome });
  }

  override countClaims(outcome: 'added' | 'failed'): void {
    this.metrics.claimsWebhookCalls.inc({ outcome });
  }
}

/** How webhooks are doing, all together. */
@Injectable()
export class WebhookMetrics {
  constructor(metrics: Metrics, deliveries: WebhookDeliveriesStore) {
    const lag = metrics.gauge(
      'identity_webhook_lag_seconds',
      'Age of the oldest event that an active webhook still has before it',
      [],
    );
    const dead = metrics.gauge(
      'identity_webhook_dead_letters',
      'Events that webhooks did not take (counted up to 10000)',
      [],
    );
    metrics.addReading([lag, dead], async () => {
      const { lagSeconds, deadLetters } = await deliveries.measure();
      return () => {
        lag.set(lagSeconds);
        dead.set(deadLetters);
      };
    });
  }
}
