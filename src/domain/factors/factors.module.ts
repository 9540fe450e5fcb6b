import { Module } from '@nestjs/common';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { PasswordHashingModule } from '../passwords/password-hashing.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { CheckFactor } from './check-factor.js';
import { RecordFactorChange } from './record-factor-change.js';
import { RecoveryCodes } from './recovery-codes.js';
import { TotpCodes } from './totp-codes.js';

const useCases = [CheckFactor, TotpCodes, RecoveryCodes, RecordFactorChange];

/** What people can show besides a password. */
@Module({
  imports: [NotificationsModule, PasswordsModule, PasswordHashingModule],
  providers: useCases,
  exports: useCases,
})
export class FactorsModule {}
