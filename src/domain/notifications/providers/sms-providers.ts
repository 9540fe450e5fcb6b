import { Injectable } from '@nestjs/common';
import type { ProviderId } from '../../shared/ids.js';
import { NotificationProvidersStore } from './notification-providers.store.js';

/** Who makes the code of an SMS; without a provider there are no SMS. */
export type SmsMode =
  | { readonly kind: 'none' }
  | { readonly kind: 'own-code' }
  | { readonly kind: 'provider-code'; readonly providerId: ProviderId };

/** Asked when an SMS is queued, once per import chunk and never per user. */
export abstract class SmsProviders {
  abstract mode(): Promise<SmsMode>;
}

/** The first provider decides: what it cannot carry, another one takes over only from its own kind. */
@Injectable()
export class SmsModeOfFirstProvider extends SmsProviders {
  constructor(private readonly providers: NotificationProvidersStore) {
    super();
  }

  override async mode(): Promise<SmsMode> {
    const [first] = await this.providers.usable('sms');
    if (first === undefined) return { kind: 'none' };
    return first.kind === 'twilio_verify'
      ? { kind: 'provider-code', providerId: first.id }
      : { kind: 'own-code' };
  }
}
