import { Module } from '@nestjs/common';
import { NotificationsModule } from '../notifications.module.js';
import { ChangeMessageTemplates } from './change-message-templates.js';
import { SendTemplateTest } from './send-template-test.js';
import { ShowMessageTemplates } from './show-message-templates.js';

const useCases = [ChangeMessageTemplates, SendTemplateTest, ShowMessageTemplates];

/** The words of messages, where an organization has its own. */
@Module({ imports: [NotificationsModule], providers: useCases, exports: useCases })
export class MessageTemplatesModule {}
