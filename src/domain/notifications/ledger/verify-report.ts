import { Injectable } from '@nestjs/common';
import type { NotificationId, ProviderId } from '../../shared/ids.js';
import { NotificationSettings } from '../notification-settings.js';
import { NotificationProvidersStore } from '../providers/notification-providers.store.js';
import { ProviderChannels } from '../providers/provider-channels.js';
import type { Provider } from '../providers/provider.js';
import { reportUrl } from '../status-report-path.js';

export interface SignedReport {
  readonly id: NotificationId;
  readonly signature: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Whether a provider signed what came in its name, over the URL that we gave it. */
@Injectable()
export class VerifyReport {
  constructor(
    private readonly providers: NotificationProvidersStore,
    private readonly channels: ProviderChannels,
    private readonly settings: NotificationSettings,
  ) {}

  /**
   * Whether an active provider signed it, decided without the database. Twilio reports for all its customers
   * from the same addresses: a signed report must not be rate-limited by address.
   */
  async isOfAny(report: SignedReport): Promise<boolean> {
    const failures: unknown[] = [];
    for (const provider of await this.providers.usable('sms')) {
      try {
        if (await this.isSignedBy(provider, report)) return true;
      } catch (error) {
        // whose secret cannot be read now may not be whose report it is
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return false;
  }

  /** The same of one provider, which may have been switched off since. */
  async isOf(id: ProviderId, report: SignedReport): Promise<boolean> {
    const known = await this.providers.find(id);
    return known !== undefined && (await this.isSignedBy(known.provider, report));
  }

  private async isSignedBy(
    provider: Provider,
    { id, signature, parameters }: SignedReport,
  ): Promise<boolean> {
    const url = reportUrl(this.settings.issuer, id);
    return await this.channels.isSigned(provider, { url, signature, parameters });
  }
}
