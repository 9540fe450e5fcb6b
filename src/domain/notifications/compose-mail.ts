import { logoPath } from '../policies/logo.js';
import type { NotificationId } from '../shared/ids.js';
import { languages, lookupLocale, type Language } from '../shared/locale.js';
import type { MailMessage } from './channels.js';
import { codeLink } from './code-link.js';
import type { Mail, MailContent, MessageRenderer } from './mail.js';
import { PLAIN_TEMPLATES, type NotificationTemplate } from './notification-template.js';
import type { ClaimedNotification } from './notifications.store.js';
import { readChoice, type ResetChoice } from './reset-choice.js';
import type { MessageTexts } from './templates/message-texts.js';

/** What the words of a message are made from. */
export type MessageContext = Pick<
  ClaimedNotification,
  | 'id'
  | 'template'
  | 'codeId'
  | 'registrationId'
  | 'createdAt'
  | 'expiresAt'
  | 'organization'
  | 'displayName'
  | 'loginName'
  | 'email'
  | 'preferredLanguage'
>;

/** What messages are made with, besides the notification. */
export interface Composing {
  /** Origin of the links, and of the Message-ID: `<notification id>@<its host>`, the same at each attempt. */
  readonly issuer: string;
  readonly renderer: MessageRenderer;
  /** Words of the organization or the instance in `languageOf(notification)`. */
  readonly texts?: MessageTexts;
}

/** Whether it cannot be sent without what was sealed with it: a code, an address or accounts. */
export function needsContent(template: NotificationTemplate): boolean {
  return !PLAIN.has(template);
}

const PLAIN: ReadonlySet<NotificationTemplate> = new Set(PLAIN_TEMPLATES);

/**
 * The mail of a claimed notification, addressed to where its recipient is reached now.
 *
 * @param content the code; for `email_changed` the address that is notified; for `reset_choice` the accounts and the address
 *                that is notified of them; undefined for another notice
 */
export function composeMail(
  notification: MessageContext,
  content: string | undefined,
  composing: Composing,
): MailMessage & MailContent {
  const { subject, text, html } = composing.renderer.renderMail(mailOf(notification, content, composing));
  return {
    messageId: messageIdOf(notification.id, composing.issuer),
    to: recipientOf(notification, content),
    subject,
    text,
    html,
  };
}

/** The same at each attempt. */
export function messageIdOf(id: NotificationId, issuer: string): string {
  return `${id}@${new URL(issuer).hostname}`;
}

/** A notice about an address goes to that address, even if the account has another one by now. */
function recipientOf({ template, email }: MessageContext, content: string | undefined): string {
  if (template === 'reset_choice') return choiceOf(content).address;
  return template === 'email_changed' && content !== undefined ? content : email;
}

function choiceOf(content: string | undefined): ResetChoice {
  if (content === undefined) throw new Error('reset_choice without its accounts');
  return readChoice(content);
}

/** The recipient's language if we write it, else the organization's, else English. */
export function languageOf({ preferredLanguage, organization }: MessageContext): Language {
  return lookupLocale([preferredLanguage ?? '', organization.defaultLanguage ?? ''], languages);
}

/** What is sent. */
function mailOf(
  notification: MessageContext,
  content: string | undefined,
  { issuer, texts }: Composing,
): Mail {
  const { template, organization, displayName, loginName } = notification;
  const { name, accent, logo } = organization;
  const common = {
    organizationName: name,
    accent,
    logoUrl: logo === undefined ? undefined : new URL(logoPath(logo), issuer).href,
    displayName,
    loginName,
    language: languageOf(notification),
    ownTexts: texts,
  };
  const notice = { ...common, happenedAt: notification.createdAt };
  const forgottenPassword = new URL('/password/forgotten', issuer).href;
  switch (template) {
    case 'verify_phone':
    case 'second_factor_sms':
      throw new Error(`${template} is not a mail`);
    case 'template_test':
      throw new Error(`${template} was composed when it was asked for`);
    case 'password_changed':
      return { ...notice, template, otherSessionsEnded: true, link: forgottenPassword };
    case 'account_deleted':
      // nobody can take it back, so there is nowhere to lead
      return { ...notice, template };
    case 'email_changed':
    case 'phone_changed':
      return { ...notice, template, link: forgottenPassword };
    case 'passkey_added':
    case 'passkey_removed':
    case 'factor_added':
    case 'factor_removed':
    case 'recovery_codes_made':
    case 'recovery_code_used':
    case 'factors_reset':
      return { ...notice, template, link: new URL('/account/security', issuer).href };
    case 'reset_choice':
      return { ...notice, template, link: forgottenPassword, accounts: choiceOf(content).accounts };
    case 'account_exists':
      return {
        ...notice,
        template,
        signInLink: new URL('/login', issuer).href,
        resetLink: forgottenPassword,
      };
    case 'initialise':
    case 'verify_email':
    case 'reset_password':
    case 'register': {
      if (content === undefined) throw new Error(`${template} without its code`);
      const link = codeLink(issuer, template, notification.registrationId ?? notification.codeId, content);
      return { ...common, template, link, code: content, expiresAt: notification.expiresAt };
    }
    case 'second_factor_email': {
      if (content === undefined) throw new Error(`${template} without its code`);
      return { ...common, template, code: content, expiresAt: notification.expiresAt };
    }
  }
}
