import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { ChannelError } from '../../domain/notifications/channels.js';
import { Log } from '../../domain/shared/log.js';
import { WebhookEndpoint, type WebhookAnswer } from '../../domain/webhooks/webhook-endpoint.js';
import { AddressRefused, ClearTextRefused, guardedLookup, requireCallable } from '../guarded-lookup.js';
import { postOnce } from '../http-exchange.js';

/** Posts events, and asks for claims, on connections whose address was looked at. */
@Injectable()
export class HttpWebhookEndpoint extends WebhookEndpoint {
  private readonly allowPrivate: boolean;

  constructor(
    config: Config,
    private readonly log: Log,
  ) {
    super();
    this.allowPrivate = config.app.outbound.privateAddresses === 'allow';
  }

  override async post(
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    timeoutMs: number,
  ): Promise<WebhookAnswer> {
    const url = new URL(address);
    try {
      requireCallable(url, this.allowPrivate);
    } catch (error) {
      if (error instanceof AddressRefused) throw new ChannelError('address_refused', 'retryable');
      if (error instanceof ClearTextRefused) throw new ChannelError('not_https', 'retryable');
      throw error;
    }
    return await this.logged(
      url.host,
      postOnce(url, {
        headers: { 'user-agent': 'identity-service', ...headers },
        body,
        timeoutMs,
        lookup: guardedLookup(this.allowPrivate),
      }),
    );
  }

  /** The cause for operators: the webhook's managers must not see it (webhook-endpoint.ts). */
  private async logged(host: string, answer: Promise<WebhookAnswer>): Promise<WebhookAnswer> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof ChannelError && error.reason === 'address_refused')
        this.log.info('webhook host resolves to a private or blocked address', { host });
      throw error;
    }
  }
}
