import type { MailMessage } from './channels.js';
import { renderInitMail } from './mails/render-init-mail.js';
import { renderVerifyEmailMail } from './mails/render-verify-email-mail.js';
import type { ClaimedNotification } from './notifications.store.js';

const MAILS = {
  initialise: { path: '/password/init', render: renderInitMail },
  verify_email: { path: '/verify/email', render: renderVerifyEmailMail },
} as const;

/**
 * The mail of a claimed notification, addressed to where the user is reached now.
 *
 * @param issuer origin of the link, and of the Message-ID: `<notification id>@<its host>`, the same at each attempt
 */
export function composeMail(notification: ClaimedNotification, code: string, issuer: string): MailMessage {
  if (notification.template === 'verify_phone') throw new Error('verify_phone is not a mail');
  const { organization } = notification;
  const { path, render } = MAILS[notification.template];
  const link = new URL(path, issuer);
  link.searchParams.set('id', notification.codeId);
  link.searchParams.set('code', code);
  const content = render({
    organizationName: organization.name,
    accent: organization.accent,
    displayName: notification.displayName,
    loginName: notification.loginName,
    link: link.href,
    code,
    expiresAt: notification.expiresAt,
    locale: notification.preferredLanguage ?? '',
    defaultLocale: organization.defaultLanguage,
  });
  return {
    messageId: `${notification.id}@${link.hostname}`,
    to: notification.email,
    subject: content.subject,
    text: content.text,
    html: content.html,
  };
}
