import { Injectable } from '@nestjs/common';
import { ClaimsEndpoint, type ClaimsCall } from '../domain/claims-webhook/claims-endpoint.js';
import { ChannelError } from '../domain/notifications/channels.js';
import { WebhookEndpoint, type WebhookAnswer } from '../domain/webhooks/webhook-endpoint.js';
import { CircuitBreaker, CircuitOpen } from './circuit-breaker.js';

/** Requests of this process that wait for one organization's server. */
const MOST_WAITING = 50;

@Injectable()
export class HttpClaimsEndpoint extends ClaimsEndpoint {
  private readonly breaker = new CircuitBreaker();
  private readonly waiting = new Map<string, number>();

  constructor(private readonly endpoint: WebhookEndpoint) {
    super();
  }

  override async ask<T>(call: ClaimsCall, read: (body: string) => T): Promise<T> {
    const { owner, url } = call;
    const waiting = this.waiting.get(owner) ?? 0;
    if (waiting >= MOST_WAITING) throw new ChannelError('busy', 'retryable');
    this.waiting.set(owner, waiting + 1);
    try {
      // another URL begins anew; a server that answers 200 and then nothing of use is as bad as none
      return await this.breaker.run(`${owner} ${url}`, isOutage, async () =>
        read((await this.post(call)).body),
      );
    } catch (error) {
      throw error instanceof CircuitOpen ? new ChannelError('circuit_open', 'retryable') : error;
    } finally {
      const left = (this.waiting.get(owner) ?? 1) - 1;
      if (left === 0) this.waiting.delete(owner);
      else this.waiting.set(owner, left);
    }
  }

  private async post({ url, headers, body, timeoutMs }: ClaimsCall): Promise<WebhookAnswer> {
    const answer = await this.endpoint.post(url, headers, body, timeoutMs);
    if (answer.status !== 200) throw new ChannelError(`http_${answer.status}`, 'retryable');
    return answer;
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof ChannelError;
}
