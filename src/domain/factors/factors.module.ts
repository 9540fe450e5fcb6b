import { Module } from '@nestjs/common';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { PasswordHashingModule } from '../passwords/password-hashing.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { UsersModule } from '../users/users.module.js';
import { BeginTotp } from './begin-totp.js';
import { CheckFactor } from './check-factor.js';
import { FinishTotp } from './finish-totp.js';
import { FirstFactor } from './first-factor.js';
import { MakeRecoveryCodes } from './make-recovery-codes.js';
import { RecordFactorChange } from './record-factor-change.js';
import { RecoveryCodes } from './recovery-codes.js';
import { RemoveTotp } from './remove-totp.js';
import { RequireFactorLeft } from './require-factor-left.js';
import { TotpCodes } from './totp-codes.js';

const useCases = [
  BeginTotp,
  CheckFactor,
  FinishTotp,
  FirstFactor,
  MakeRecoveryCodes,
  RecordFactorChange,
  RecoveryCodes,
  RemoveTotp,
  RequireFactorLeft,
  TotpCodes,
];

/** What people can show besides a password, and how they come to it. */
@Module({
  imports: [
    NotificationsModule,
    PasswordHashingModule,
    PasswordsModule,
    PermissionsModule,
    PoliciesModule,
    UsersModule,
  ],
  providers: useCases,
  exports: useCases,
})
export class FactorsModule {}
