import { Module } from '@nestjs/common';
import { SigningKeysModule } from '../signing-keys/signing-keys.module.js';
import { FinishRestore } from './finish-restore.js';

/** For the command that an operator runs after a restore; no process that serves has it. */
@Module({ imports: [SigningKeysModule], providers: [FinishRestore], exports: [FinishRestore] })
export class RestoreModule {}
