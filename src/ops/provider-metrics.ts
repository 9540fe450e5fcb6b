import { Injectable } from '@nestjs/common';
import { IdentityProvidersStore } from '../domain/identity-providers/identity-providers.store.js';
import { EXPIRY_WARNING_DAYS } from '../domain/identity-providers/look-after-providers.js';
import { Metrics } from './metrics.js';

/** Whether people will soon be unable to sign in elsewhere, because nobody renewed what a provider gave. */
@Injectable()
export class ProviderMetrics {
  constructor(metrics: Metrics, providers: IdentityProvidersStore) {
    const expiring = metrics.gauge(
      'identity_idps_expiring',
      `Active identity providers whose secret or last certificate expires within ${EXPIRY_WARNING_DAYS} days, or has`,
      [],
    );
    metrics.addReading([expiring], async () => {
      const count = await providers.countExpiring(EXPIRY_WARNING_DAYS);
      return () => expiring.set(count);
    });
  }
}
