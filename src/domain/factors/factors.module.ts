import { Module } from '@nestjs/common';
import { PasswordHashingModule } from '../passwords/password-hashing.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { CheckFactor } from './check-factor.js';
import { RecoveryCodes } from './recovery-codes.js';
import { TotpCodes } from './totp-codes.js';

const useCases = [CheckFactor, TotpCodes, RecoveryCodes];

/** What people can show besides a password. */
@Module({ imports: [PasswordsModule, PasswordHashingModule], providers: useCases, exports: useCases })
export class FactorsModule {}
