import { Module } from '@nestjs/common';
import { PasswordHashing } from './password-hashing.js';

/** Making and verifying hashes: all that an import or a bootstrap wants of passwords. */
@Module({ providers: [PasswordHashing], exports: [PasswordHashing] })
export class PasswordHashingModule {}
