import { isSmsTemplate, type NotificationTemplate, type SmsTemplate } from '../notification-template.js';

/**
 * The words of one message in one language, as plain text with placeholders. An organization or the instance may give
 * words of its own for any of them; what they leave out falls back by itself, in the same language, so that no message
 * is written in two: organization, instance, built in. Which language it is comes first: the recipient's, else the
 * organization's, else English.
 */
export interface MessageTexts {
  readonly subject?: string;
  readonly title?: string;
  /** What inboxes show after the subject. */
  readonly preheader?: string;
  readonly greeting?: string;
  /** Paragraphs with an empty line between them. */
  readonly text?: string;
  readonly button?: string;
  /** Why the reader got this. */
  readonly footer?: string;
  readonly smsText?: string;
}
export type TextField = keyof MessageTexts;

/** Words that an organization or the instance has set for one message in one language. */
export interface OwnTexts {
  readonly owner: 'organization' | 'instance';
  readonly language: string;
  readonly texts: MessageTexts;
}

/** Longest text of each field, in characters. */
export const LONGEST_TEXT: Readonly<Record<TextField, number>> = {
  subject: 120,
  title: 120,
  preheader: 250,
  greeting: 120,
  text: 4000,
  button: 60,
  footer: 1000,
  smsText: 160,
};
export const TEXT_FIELDS = Object.keys(LONGEST_TEXT) as readonly TextField[];
/** May have line breaks. */
export const LONG_FIELDS: readonly TextField[] = ['text', 'footer'];

/** What can be worded: a try of a provider says only that it is one. */
export type MessageType = Exclude<NotificationTemplate, 'template_test'>;
export type MailType = Exclude<MessageType, SmsTemplate>;

export type Placeholder =
  'organizationName' | 'displayName' | 'loginName' | 'expiresAt' | 'happenedAt' | 'code';

const CODE_MAIL: readonly Placeholder[] = ['organizationName', 'displayName', 'loginName', 'expiresAt'];
const NOTICE: readonly Placeholder[] = ['organizationName', 'displayName', 'loginName', 'happenedAt'];

/**
 * What may stand in double braces, by message. No mail has `code`: it has a box of its own under the text, and must
 * not get into a subject that mail servers log and locked screens show. `register` knows no person yet, only what a
 * stranger typed.
 */
export const PLACEHOLDERS: Readonly<Record<MessageType, readonly Placeholder[]>> = {
  initialise: CODE_MAIL,
  verify_email: CODE_MAIL,
  verify_phone: ['organizationName', 'code'],
  reset_password: CODE_MAIL,
  register: ['organizationName', 'expiresAt'],
  password_changed: NOTICE,
  account_exists: NOTICE,
  email_changed: NOTICE,
  reset_choice: ['organizationName', 'happenedAt'],
  passkey_added: NOTICE,
  passkey_removed: NOTICE,
  factor_added: NOTICE,
  factor_removed: NOTICE,
  recovery_codes_made: NOTICE,
  recovery_code_used: NOTICE,
  factors_reset: NOTICE,
  account_deleted: ['organizationName', 'displayName', 'happenedAt'],
  phone_changed: NOTICE,
  second_factor_email: CODE_MAIL,
  second_factor_sms: ['organizationName', 'code'],
};
/** In the order that documents and answers name them in. */
export const MESSAGE_TYPES = Object.keys(PLACEHOLDERS) as readonly MessageType[];

export function fieldsOf(type: MessageType): readonly TextField[] {
  return TEXT_FIELDS.filter((field) => (field === 'smsText') === isSmsTemplate(type));
}

/** What the instance has set in that language, and over it what the organization has. */
export function ownTextsIn(language: string, all: readonly OwnTexts[]): MessageTexts {
  const of = (owner: OwnTexts['owner']): MessageTexts =>
    all.find((own) => own.owner === owner && own.language === language)?.texts ?? {};
  return over(of('instance'), of('organization'));
}

/** Field by field: the later one wins where it says something. */
export function over(below: MessageTexts, above: MessageTexts): MessageTexts {
  return { ...below, ...above };
}
