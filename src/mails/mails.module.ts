import { Global, Module } from '@nestjs/common';
import { MessageRenderer } from '../domain/notifications/mail.js';
import { MailRenderer } from './mail-renderer.js';

/** Binds what the domain declares and cannot import: who writes its mails. */
@Global()
@Module({
  providers: [{ provide: MessageRenderer, useClass: MailRenderer }],
  exports: [MessageRenderer],
})
export class MailsModule {}
