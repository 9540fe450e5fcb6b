import { Injectable } from '@nestjs/common';
import { WarnOfExpiry } from '../identity-providers/warn-of-expiry.js';
import { UserMigrationsStore } from './user-migrations.store.js';

/** Once a day: warns of directories that will be asked no longer, because a password or a certificate expires. */
@Injectable()
export class WarnOfOldSystems {
  constructor(
    private readonly migrations: UserMigrationsStore,
    private readonly expiry: WarnOfExpiry,
  ) {}

  async run(): Promise<{ readonly migrations_expiring: number }> {
    return { migrations_expiring: await this.expiry.run('user_migration', this.migrations) };
  }
}
