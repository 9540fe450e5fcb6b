import { Module } from '@nestjs/common';
import { ChangeMessageTemplates } from './change-message-templates.js';
import { ShowMessageTemplates } from './show-message-templates.js';

const useCases = [ChangeMessageTemplates, ShowMessageTemplates];

/** The words of messages, where an organization has its own. */
@Module({ providers: useCases, exports: useCases })
export class MessageTemplatesModule {}
