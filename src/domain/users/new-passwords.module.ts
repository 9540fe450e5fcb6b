import { Module } from '@nestjs/common';
import { PasswordHashingModule } from '../passwords/password-hashing.module.js';
import { PasswordStrength } from '../passwords/strength/password-strength.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { JudgeNewPassword } from './judge-new-password.js';

/** What a new password must be. */
@Module({
  imports: [PasswordHashingModule, PoliciesModule],
  providers: [PasswordStrength, JudgeNewPassword],
  exports: [JudgeNewPassword],
})
export class NewPasswordsModule {}
