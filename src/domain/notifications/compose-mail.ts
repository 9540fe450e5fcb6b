import type { Language } from '../shared/locale.js';
import { logoPath } from '../shared/logo-path.js';
import type { MailMessage } from './channels.js';
import { codeLink } from './code-link.js';
import type { CodeMail } from './mails/code-mail.js';
import type { Mail, MailContent } from './mails/mail.js';
import { mailLanguage } from './mails/mail-texts-for.js';
import { renderAccountExistsMail } from './mails/render-account-exists-mail.js';
import { renderEmailChangedMail } from './mails/render-email-changed-mail.js';
import { renderInitMail } from './mails/render-init-mail.js';
import { renderPasswordChangedMail } from './mails/render-password-changed-mail.js';
import { renderPasswordResetMail } from './mails/render-password-reset-mail.js';
import { renderRegisterMail } from './mails/render-register-mail.js';
import { renderResetChoiceMail } from './mails/render-reset-choice-mail.js';
import { renderVerifyEmailMail } from './mails/render-verify-email-mail.js';
import type { MessageTexts } from './templates/message-texts.js';
import type { CodeTemplate, NoticeTemplate, NotificationTemplate } from './notification-template.js';
import { readChoice, type ResetChoice } from './reset-choice.js';
import type { ClaimedNotification } from './notifications.store.js';

type MailedCode = Exclude<CodeTemplate, 'verify_phone'>;

/** What the words of a message are made from. */
export type MessageMatter = Pick<
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

const CODE_MAILS: Readonly<Record<MailedCode, (mail: CodeMail) => MailContent>> = {
  initialise: renderInitMail,
  verify_email: renderVerifyEmailMail,
  reset_password: renderPasswordResetMail,
  register: renderRegisterMail,
};

const NOTICES: Readonly<
  Record<NoticeTemplate, (mail: Mail, happenedAt: Date, issuer: string, content?: string) => MailContent>
> = {
  password_changed: (mail, happenedAt, issuer) =>
    renderPasswordChangedMail({
      ...mail,
      happenedAt,
      otherSessionsEnded: true,
      link: new URL('/password/forgotten', issuer).href,
    }),
  email_changed: (mail, happenedAt, issuer) =>
    renderEmailChangedMail({
      ...mail,
      happenedAt,
      link: new URL('/password/forgotten', issuer).href,
    }),
  reset_choice: (mail, happenedAt, issuer, content) =>
    renderResetChoiceMail({
      ...mail,
      happenedAt,
      link: new URL('/password/forgotten', issuer).href,
      accounts: choiceOf(content).accounts,
    }),
  account_exists: (mail, happenedAt, issuer) =>
    renderAccountExistsMail({
      ...mail,
      happenedAt,
      signInLink: new URL('/login', issuer).href,
      resetLink: new URL('/password/forgotten', issuer).href,
    }),
};

/** Whether it cannot be sent without what was sealed with it. */
export function needsContent(template: NotificationTemplate): boolean {
  return carriesCode(template) || template === 'email_changed' || template === 'reset_choice';
}

export function carriesCode(template: NotificationTemplate): template is CodeTemplate {
  return !(template in NOTICES);
}

/**
 * The mail of a claimed notification, addressed to where its recipient is reached now.
 *
 * @param content the code; for `email_changed` the address that is told; for `reset_choice` the accounts and the address
 *                that is told of them; undefined for another notice
 * @param issuer  origin of the link, and of the Message-ID: `<notification id>@<its host>`, the same at each attempt
 * @param texts   words of the organization or the instance in `languageOf(notification)`
 */
export function composeMail(
  notification: MessageMatter,
  content: string | undefined,
  issuer: string,
  texts: MessageTexts = {},
): MailMessage {
  const { subject, text, html } = contentOf(notification, content, issuer, texts);
  return {
    messageId: `${notification.id}@${new URL(issuer).hostname}`,
    to: recipientOf(notification, content),
    subject,
    text,
    html,
  };
}

/** Whoever has, or had, an address hears what concerns that address, wherever the account is reached by now. */
function recipientOf({ template, email }: MessageMatter, content: string | undefined): string {
  if (template === 'reset_choice') return choiceOf(content).address;
  return template === 'email_changed' && content !== undefined ? content : email;
}

function choiceOf(content: string | undefined): ResetChoice {
  if (content === undefined) throw new Error('reset_choice without its accounts');
  return readChoice(content);
}

/** What the recipient reads, as far as we write it. */
export function languageOf({ preferredLanguage, organization }: MessageMatter): Language {
  return mailLanguage({ locale: preferredLanguage ?? '', defaultLocale: organization.defaultLanguage });
}

function contentOf(
  notification: MessageMatter,
  code: string | undefined,
  issuer: string,
  texts: MessageTexts,
): MailContent {
  const { template } = notification;
  if (template === 'verify_phone') throw new Error('verify_phone is not a mail');
  const mail = mailOf(notification, issuer, texts);
  if (!carriesCode(template)) return NOTICES[template](mail, notification.createdAt, issuer, code);
  if (code === undefined) throw new Error(`${template} without its code`);
  const link = codeLink(issuer, template, notification.registrationId ?? notification.codeId, code);
  return CODE_MAILS[template]({ ...mail, link, code, expiresAt: notification.expiresAt });
}

function mailOf(
  { organization, displayName, loginName, preferredLanguage }: MessageMatter,
  issuer: string,
  ownTexts: MessageTexts,
): Mail {
  const { name, accent, logo, defaultLanguage } = organization;
  return {
    organizationName: name,
    accent,
    logoUrl: logo === undefined ? undefined : new URL(logoPath(logo), issuer).href,
    displayName,
    loginName,
    locale: preferredLanguage ?? '',
    defaultLocale: defaultLanguage,
    ownTexts,
  };
}
