import { Global, Module } from '@nestjs/common';
import { BreachedPasswords } from '../domain/passwords/strength/breached-passwords.js';
import { HttpBreachedPasswords } from './http-breached-passwords.js';

/** A module of its own, since the commands that set an administrator up want nothing else of the outside. */
@Global()
@Module({
  providers: [{ provide: BreachedPasswords, useClass: HttpBreachedPasswords }],
  exports: [BreachedPasswords],
})
export class BreachedPasswordsModule {}
