import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Log } from '../src/domain/shared/log.js';
import { messageOf } from '../src/domain/shared/message-of.js';
import { oncePer } from '../src/domain/shared/once-per.js';
import { DeliverEvents } from '../src/domain/webhooks/deliver-events.js';
import type { ClaimedWebhook } from '../src/domain/webhooks/webhook-deliveries.store.js';

const LOOK_MS = 1_000;
/** Webhooks at a time. They wait for others' servers, and hardly use this one. */
const AT_ONCE = 16;

/**
 * Looks every second which webhooks have undelivered events, and delivers them. Any number of workers may: each webhook is
 * leased by one at a time. What there is to do stands in PostgreSQL alone, so that none of it is in Redis to be lost, and while Redis is away
 * events are delivered as ever.
 */
@Injectable()
export class WebhookPump implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private readonly warn: (reason: string) => void;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly deliver: DeliverEvents,
    log: Log,
  ) {
    this.warn = oncePer(30_000, (reason: string) => log.warn('events cannot be delivered', { reason }));
  }

  start(): void {
    this.loop = this.keepLooking();
  }

  /** What is under way is ended; what is not ended in time is delivered once more by another worker. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
    await Promise.all(this.running);
  }

  private async keepLooking(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.look().catch((error: unknown) => this.logFailure(error));
      // workers that started together should not look together
      await sleep(LOOK_MS * (0.8 + Math.random() * 0.4), undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    const free = AT_ONCE - this.running.size;
    if (free === 0) return;
    for (const claim of await this.deliver.claimDue(free)) this.begin(claim);
  }

  private begin(claim: ClaimedWebhook): void {
    const run = this.deliver
      .run(claim, this.stopping.signal)
      // its claim lapses
      .catch((error: unknown) => this.logFailure(error))
      .finally(() => this.running.delete(run));
    this.running.add(run);
  }

  private logFailure(error: unknown): void {
    this.warn(messageOf(error));
  }
}
