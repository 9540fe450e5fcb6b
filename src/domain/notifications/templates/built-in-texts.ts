import type {
  AccountExistsMailTexts,
  CodeMailTexts,
  MailTexts,
  NoticeMailTexts,
  ResetChoiceMailTexts,
} from '../mails/mail-texts.js';
import type { MailType, MessageTexts, MessageType, Placeholder } from './message-texts.js';

type KindTexts =
  | CodeMailTexts
  | NoticeMailTexts
  | AccountExistsMailTexts
  | (Omit<ResetChoiceMailTexts, 'paragraphs'> & Pick<NoticeMailTexts, 'paragraphs'>);

/** Greet nobody by name: of one only a stranger has spoken, of the other it is not known which account is meant. */
const NAMELESS: ReadonlySet<MessageType> = new Set(['register', 'reset_choice']);

const KINDS: Readonly<Record<MailType, (texts: MailTexts) => KindTexts>> = {
  initialise: ({ init }) => init,
  verify_email: ({ verifyEmail }) => verifyEmail,
  reset_password: ({ passwordReset }) => passwordReset,
  register: ({ register }) => register,
  password_changed: ({ passwordChanged }) => passwordChanged,
  account_exists: ({ accountExists }) => accountExists,
  email_changed: ({ emailChanged }) => emailChanged,
  reset_choice: ({ resetChoice }) => ({
    ...resetChoice,
    paragraphs: (_organization: string, time: string) => resetChoice.paragraphs(time),
  }),
};

/** The words that a message has by itself, with its placeholders in them: what one would write to change nothing. */
export function builtInTexts(type: MessageType, texts: MailTexts): MessageTexts {
  const organization = braced('organizationName');
  if (type === 'verify_phone') return { smsText: texts.sms(organization, braced('code')) };
  const kind = KINDS[type](texts);
  return {
    subject: kind.subject(organization),
    title: kind.heading,
    preheader: kind.preview(organization),
    greeting: NAMELESS.has(type) ? texts.greetingWithoutName : texts.greeting(braced('displayName')),
    text: kind.paragraphs(organization, braced('happenedAt')).join('\n\n'),
    button: kind.button,
    footer: kind.why(organization),
  };
}

function braced(name: Placeholder): string {
  return `{{${name}}}`;
}
