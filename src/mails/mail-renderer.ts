import { Injectable } from '@nestjs/common';
import { MessageRenderer, type Mail, type MailContent } from '../domain/notifications/mail.js';
import type { MessageTexts, MessageType } from '../domain/notifications/templates/message-texts.js';
import type { Language } from '../domain/shared/locale.js';
import { renderAccountExistsMail } from './account-exists-mail.js';
import { builtInTexts } from './built-in-texts.js';
import { renderChangeMail } from './change-mail.js';
import { renderCodeMail } from './code-mail.js';
import { renderResetChoiceMail } from './reset-choice-mail.js';

@Injectable()
export class MailRenderer extends MessageRenderer {
  renderMail(mail: Mail): MailContent {
    switch (mail.template) {
      case 'password_changed':
      case 'email_changed':
      case 'phone_changed':
      case 'passkey_added':
      case 'passkey_removed':
      case 'factor_added':
      case 'factor_removed':
      case 'recovery_codes_made':
      case 'recovery_code_used':
      case 'factors_reset':
      case 'account_deleted':
        return renderChangeMail(mail);
      case 'account_exists':
        return renderAccountExistsMail(mail);
      case 'reset_choice':
        return renderResetChoiceMail(mail);
      case 'initialise':
      case 'verify_email':
      case 'reset_password':
      case 'register':
      case 'second_factor_email':
        return renderCodeMail(mail);
    }
  }

  builtInTexts(type: MessageType, language: Language): MessageTexts {
    return builtInTexts(type, language);
  }
}
