import { Module } from '@nestjs/common';
import { SmsLimitsModule } from '../../notifications/abuse/sms-limits.module.js';
import { NotificationsModule } from '../../notifications/notifications.module.js';
import { PoliciesModule } from '../../policies/policies.module.js';
import { NewPasswordsModule } from '../new-passwords/new-passwords.module.js';
import { UsersModule } from '../users.module.js';
import { AskToVerifyEmail } from './ask-to-verify-email.js';
import { EnqueuePhoneVerification } from './enqueue-phone-verification.js';
import { EnqueueVerification } from './enqueue-verification.js';
import { EvaluateCode } from './evaluate-code.js';
import { FindVerification } from './find-verification.js';
import { SetInitialPassword } from './set-initial-password.js';
import { SetPasswordWithCode } from './set-password-with-code.js';
import { UseEmailCode } from './use-email-code.js';
import { UsePhoneCode } from './use-phone-code.js';
import { VerifyEmail } from './verify-email.js';
import { VerifyPhone } from './verify-phone.js';

const useCases = [
  EnqueueVerification,
  EnqueuePhoneVerification,
  FindVerification,
  EvaluateCode,
  UseEmailCode,
  UsePhoneCode,
  SetPasswordWithCode,
  SetInitialPassword,
  AskToVerifyEmail,
  VerifyEmail,
  VerifyPhone,
];

/** Codes that prove an address, and what a user may do with one. */
@Module({
  imports: [NewPasswordsModule, NotificationsModule, PoliciesModule, SmsLimitsModule, UsersModule],
  providers: useCases,
  exports: useCases,
})
export class VerificationModule {}
