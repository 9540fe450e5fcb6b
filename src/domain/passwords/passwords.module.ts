import { Module } from '@nestjs/common';
import { CheckPassword } from './check-password.js';
import { LimitGuessing } from './limit-guessing.js';
import { PasswordHashingModule } from './password-hashing.module.js';

const useCases = [LimitGuessing, CheckPassword];

/** Checking the password of somebody who may be guessing. */
@Module({ imports: [PasswordHashingModule], providers: useCases, exports: useCases })
export class PasswordsModule {}
