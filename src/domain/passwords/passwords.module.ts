import { Module } from '@nestjs/common';
import { BruteForceProtection } from './attempts/brute-force-protection.js';
import { CheckPassword } from './check-password.js';
import { PasswordHashingModule } from './hashing/password-hashing.module.js';

const useCases = [BruteForceProtection, CheckPassword];

/** Checking the password of somebody who may be guessing. */
@Module({ imports: [PasswordHashingModule], providers: useCases, exports: useCases })
export class PasswordsModule {}
