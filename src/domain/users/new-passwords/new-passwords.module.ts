import { Module } from '@nestjs/common';
import { PasswordHashingModule } from '../../passwords/hashing/password-hashing.module.js';
import { PasswordStrength } from '../../passwords/strength/password-strength.js';
import { PoliciesModule } from '../../policies/policies.module.js';
import { UsersModule } from '../users.module.js';
import { NewPasswords } from './new-passwords.js';
import { StoreNewPassword } from './store-new-password.js';

/** What a new password must be, its hash, and how it takes the place of the one before. */
@Module({
  imports: [PasswordHashingModule, PoliciesModule, UsersModule],
  providers: [PasswordStrength, NewPasswords, StoreNewPassword],
  exports: [NewPasswords, StoreNewPassword],
})
export class NewPasswordsModule {}
