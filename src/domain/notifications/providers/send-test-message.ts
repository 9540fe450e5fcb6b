import { Injectable } from '@nestjs/common';
import type { NotificationId } from '../../shared/ids.js';
import { Log } from '../../shared/log.js';
import { randomId } from '../../shared/random.js';
import { destinationOf, refusedDestination } from '../abuse/sms-destination.js';
import { SmsLimitSettings } from '../abuse/sms-limit-settings.js';
import { smsRefused } from '../abuse/sms-refused.js';
import { ChannelError, type Accepted, type ChannelFailure, type FailedWith } from '../channels.js';
import { isHealthy, type ProviderHealth } from '../health/provider-health.js';
import { NotificationSettings } from '../notification-settings.js';
import { NotificationProvidersStore } from './notification-providers.store.js';
import { ProviderChannels } from './provider-channels.js';
import type { Provider } from './provider.js';

export type TestOutcome =
  | {
      readonly accepted: true;
      readonly providerMessageId: string | undefined;
      /** How it was doing when the test began, where that was not well. */
      readonly unwell: ProviderHealth | undefined;
    }
  | {
      readonly accepted: false;
      readonly reason: string;
      readonly failure: ChannelFailure;
      readonly retryAfterSeconds: number | undefined;
      /** The provider's own words. */
      readonly said: string | undefined;
      readonly with: FailedWith | undefined;
    };

/**
 * Sends one message to an address or number of the caller's choice, past queue and ledger, through a provider that
 * need not be active yet; what the provider said is the answer.
 */
@Injectable()
export class SendTestMessage {
  constructor(
    private readonly providers: NotificationProvidersStore,
    private readonly channels: ProviderChannels,
    private readonly settings: NotificationSettings,
    private readonly limits: SmsLimitSettings,
    private readonly log: Log,
  ) {}

  /**
   * Within 30 s, outside of any transaction.
   * @throws ApiError failed-precondition for a number that no SMS are sent to
   */
  async execute(provider: Provider, to: string): Promise<TestOutcome> {
    if (provider.channel === 'sms') this.requireOpen(to);
    const unwell = await this.unwell(provider);
    try {
      const { providerMessageId } = await this.handOver(provider, to);
      return { accepted: true, providerMessageId, unwell };
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      const { reason, failure, retryAfterMs, said } = error;
      const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
      const failedWith = error.with;
      this.log.warn('a test message was not delivered', {
        provider: provider.id,
        channel: provider.channel,
        reason,
        failure,
        host: failedWith?.host,
        port: failedWith?.port,
        cause: failedWith?.cause,
      });
      return { accepted: false, reason, failure, retryAfterSeconds, said, with: failedWith };
    }
  }

  private requireOpen(number: string): void {
    const destination = destinationOf(number, this.limits.prefixTail);
    const rule = refusedDestination(destination, this.limits, 'manager');
    if (rule !== undefined) throw smsRefused({ rule, retryAfterSeconds: undefined });
  }

  private async unwell({ id, version }: Provider): Promise<ProviderHealth | undefined> {
    const all = await this.providers.health.list();
    return all.find((health) => health.id === id && health.version === version && !isHealthy(health));
  }

  private async handOver(provider: Provider, to: string): Promise<Accepted> {
    const id = randomId();
    const { issuer } = this.settings;
    const text = `This is a test message of ${issuer}. Nothing needs to be done.`;
    if (provider.channel === 'email') {
      return await this.channels.sendMail(provider, {
        messageId: `${id}@${new URL(issuer).hostname}`,
        to,
        subject: 'Test message',
        text,
      });
    }
    return await this.channels.sendSms(provider, {
      notificationId: id as NotificationId,
      to,
      text,
      code: undefined,
      language: 'en',
      statusCallbackUrl: undefined,
    });
  }
}
