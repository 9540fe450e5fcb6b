import { Module } from '@nestjs/common';
import { SmsLimitsModule } from '../notifications/abuse/sms-limits.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { NotificationProvidersModule } from '../notifications/providers/notification-providers.module.js';
import { PasswordHashingModule } from '../passwords/hashing/password-hashing.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { UsersModule } from '../users/users.module.js';
import { VerificationModule } from '../users/verification/verification.module.js';
import { CheckFactor } from './check-factor.js';
import { ChooseSetUp } from './choose-set-up.js';
import { AddCodeFactor, StoreCodeFactor } from './codes/add-code-factor.js';
import { FactorCodes } from './codes/factor-codes.js';
import { FactorSms } from './codes/factor-sms.js';
import { FindFactorCode } from './codes/find-factor-code.js';
import { RemoveCodeFactor } from './codes/remove-code-factor.js';
import { SendFactorCode } from './codes/send-factor-code.js';
import { FactorResetModule } from './factor-reset.module.js';
import { FirstFactor } from './first-factor.js';
import { MakeRecoveryCodes } from './recovery-codes/make-recovery-codes.js';
import { RecoveryCodes } from './recovery-codes/recovery-codes.js';
import { RemoveFactor } from './remove-factor.js';
import { RequireFactorLeft } from './require-factor-left.js';
import { BeginTotp } from './totp/begin-totp.js';
import { FinishTotp } from './totp/finish-totp.js';
import { RemoveTotp } from './totp/remove-totp.js';
import { TotpCodes } from './totp/totp-codes.js';

const useCases = [
  AddCodeFactor,
  BeginTotp,
  CheckFactor,
  ChooseSetUp,
  FactorCodes,
  FactorSms,
  FindFactorCode,
  FinishTotp,
  FirstFactor,
  MakeRecoveryCodes,
  RecoveryCodes,
  RemoveCodeFactor,
  RemoveFactor,
  RemoveTotp,
  RequireFactorLeft,
  SendFactorCode,
  StoreCodeFactor,
  TotpCodes,
];

/** What people can show besides a password, and how they come to it. */
@Module({
  imports: [
    FactorResetModule,
    NotificationProvidersModule,
    NotificationsModule,
    PasswordHashingModule,
    PasswordsModule,
    PermissionsModule,
    PoliciesModule,
    SmsLimitsModule,
    UsersModule,
    VerificationModule,
  ],
  providers: useCases,
  exports: [FactorResetModule, ...useCases],
})
export class FactorsModule {}
