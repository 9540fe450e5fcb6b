import { lookupLocale } from '../../shared/locale.js';
import { en } from './mail-texts-en.js';
import type { MailTexts } from './mail-texts.js';

/** What mails speak, BCP 47; the first stands in for all others. */
const mailLocales = ['en'] as const;

const catalogue: Readonly<Record<(typeof mailLocales)[number], MailTexts>> = { en };

/** Texts for a user's locale (BCP 47 or `de_CH`), else English. */
export function mailTextsFor(locale: string): MailTexts {
  return catalogue[lookupLocale([locale], mailLocales)];
}
