import { isSmsTemplate } from '../domain/notifications/notification-template.js';
import type {
  MailType,
  MessageTexts,
  MessageType,
  Placeholder,
} from '../domain/notifications/templates/message-texts.js';
import type { Language } from '../domain/shared/locale.js';
import { localeOf } from '../rendering/locales.js';
import type { Message } from '../rendering/message.js';

/** Greet nobody by name: of one only a stranger has spoken, of the other it is not known which account is meant. */
const NAMELESS: ReadonlySet<MailType> = new Set<MailType>(['register', 'reset_choice']);

/** What `MessageRenderer` says of it: the words of `locales/`, each of their values a placeholder of templates. */
export function builtInTexts(type: MessageType, language: Language): MessageTexts {
  const { mails, sms } = localeOf(language);
  if (isSmsTemplate(type)) return { smsText: braced(sms[type]) };
  const { subject, title, preheader, text, button, footer } = mails[type];
  return {
    subject: braced(subject),
    title: braced(title),
    preheader: braced(preheader),
    greeting: NAMELESS.has(type) ? mails.greetingWithoutName : braced(mails.greeting),
    text: text.map(braced).join('\n\n'),
    button: braced(button),
    footer: braced(footer),
  };
}

const BRACED: Readonly<Record<Placeholder, string>> = {
  organizationName: '{{organizationName}}',
  displayName: '{{displayName}}',
  loginName: '{{loginName}}',
  expiresAt: '{{expiresAt}}',
  happenedAt: '{{happenedAt}}',
  code: '{{code}}',
};

function braced(text: string | Message<Placeholder>): string {
  return typeof text === 'string' ? text : text(BRACED);
}
