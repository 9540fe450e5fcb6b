import { Injectable } from '@nestjs/common';
import { IdentityProvidersStore } from '../domain/identity-providers/identity-providers.store.js';
import { EXPIRY_WARNING_DAYS, type ExpiringRows } from '../domain/identity-providers/warn-of-expiry.js';
import { UserMigrationsStore } from '../domain/user-migration/user-migrations.store.js';
import { Metrics } from './metrics.js';

/** Whether sign-ins by providers or migrations will soon fail, because a secret or certificate expires. */
@Injectable()
export class ExpiryMetrics {
  constructor(metrics: Metrics, providers: IdentityProvidersStore, migrations: UserMigrationsStore) {
    count(
      'identity_idps_expiring',
      `Active identity providers whose secret or last certificate expires within ${EXPIRY_WARNING_DAYS} days, or has`,
      providers,
    );
    count(
      'identity_user_migrations_expiring',
      `Active migrations whose directory's password or certificate expires within ${EXPIRY_WARNING_DAYS} days, or has`,
      migrations,
    );

    function count(name: string, help: string, rows: ExpiringRows): void {
      const expiring = metrics.gauge(name, help, []);
      metrics.addReading([expiring], async () => {
        const found = await rows.countExpiring(EXPIRY_WARNING_DAYS);
        return () => expiring.set(found);
      });
    }
  }
}
