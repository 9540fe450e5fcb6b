import { Injectable } from '@nestjs/common';
import { ClaimsEndpoint, type ClaimsCall } from '../../domain/claims-webhook/claims-endpoint.js';
import { ChannelError } from '../../domain/notifications/channels.js';
import { WebhookEndpoint, type WebhookAnswer } from '../../domain/webhooks/webhook-endpoint.js';
import { CircuitBreaker, CircuitOpen } from '../circuit-breaker.js';

/** Requests of this process that wait for one organization's server. */
const MOST_WAITING = 50;
/** Of them so many about one user, who can send any number at once. */
const MOST_ABOUT_ONE = 5;
/**
 * The server is up and refuses this call: a client error (`http_404`), or claims that may not be added. Statuses that
 * concern the server itself do not count.
 */
const OF_ONE_USER = /^(http_4(?!08|29)\d\d|claim_\w+|claims_too_large)$/;

@Injectable()
export class HttpClaimsEndpoint extends ClaimsEndpoint {
  private readonly servers = new CircuitBreaker();
  private readonly users = new CircuitBreaker();
  private readonly waiting = new Map<string, number>();

  constructor(private readonly endpoint: WebhookEndpoint) {
    super();
  }

  override async ask<T>(call: ClaimsCall, read: (body: string) => T): Promise<T> {
    const { owner, url, about } = call;
    // another URL resets the state
    const server = `${owner} ${url}`;
    try {
      return await this.waitFor(owner, MOST_WAITING, () =>
        this.waitFor(`${owner} ${about}`, MOST_ABOUT_ONE, () =>
          // a user whose answers are of no use is not asked about for a while; only an outage keeps the server from the others
          this.users.run(`${server} ${about}`, isFailure, () =>
            this.servers.run(server, isOutage, async () => read((await this.post(call)).body), about),
          ),
        ),
      );
    } catch (error) {
      throw error instanceof CircuitOpen ? new ChannelError('circuit_open', 'retryable') : error;
    }
  }

  /** @throws ChannelError busy where so many wait already */
  private async waitFor<T>(key: string, most: number, work: () => Promise<T>): Promise<T> {
    const waiting = this.waiting.get(key) ?? 0;
    if (waiting >= most) throw new ChannelError('busy', 'retryable');
    this.waiting.set(key, waiting + 1);
    try {
      return await work();
    } finally {
      const left = (this.waiting.get(key) ?? 1) - 1;
      if (left === 0) this.waiting.delete(key);
      else this.waiting.set(key, left);
    }
  }

  private async post({ url, headers, body, timeoutMs }: ClaimsCall): Promise<WebhookAnswer> {
    const answer = await this.endpoint.post(url, headers, body, timeoutMs);
    if (answer.status !== 200) throw new ChannelError(`http_${answer.status}`, 'retryable');
    return answer;
  }
}

function isFailure(error: unknown): boolean {
  return error instanceof ChannelError;
}

function isOutage(error: unknown): boolean {
  return error instanceof ChannelError && !OF_ONE_USER.test(error.reason);
}
