export type WebhookOutcome = 'delivered' | 'failed' | 'dead';

/** Counts attempts to deliver an event, for whoever watches the instance. */
export abstract class WebhookMeter {
  abstract count(outcome: WebhookOutcome): void;

  /** A question for claims that a request waited for. */
  abstract countClaims(outcome: 'added' | 'failed'): void;
}
