import type { MailContent } from '../domain/notifications/mail.js';
import type { Locale } from '../rendering/locales.js';
import { mailDocument, type MailDocument } from './mail-layout.js';
import type { MailWords } from './mail-words.js';

/**
 * A mail in both of its forms, which say the same: the greeting before and the footer after what it is about.
 * @param text paragraphs of what it is about
 */
export function mailContent({
  text,
  ...document
}: MailDocument & { readonly text: readonly string[] }): MailContent {
  const { words } = document;
  return {
    subject: words.subject,
    text: [words.greeting, ...words.paragraphs, ...text, `--\n${words.footer}`, ''].join('\n\n'),
    html: mailDocument(document),
  };
}

/** The button where there are none. */
export function buttonText(link: string, { button }: MailWords, locale: Locale): string {
  return `${locale.labelled({ label: button })}\n${link}`;
}
