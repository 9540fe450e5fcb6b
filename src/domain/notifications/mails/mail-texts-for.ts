import { type Language, languages, lookupLocale } from '../../shared/locale.js';
import type { Mail } from './mail.js';
import { de } from './mail-texts-de.js';
import { en } from './mail-texts-en.js';
import { es } from './mail-texts-es.js';
import { fr } from './mail-texts-fr.js';
import { it } from './mail-texts-it.js';
import { ja } from './mail-texts-ja.js';
import { nl } from './mail-texts-nl.js';
import { pl } from './mail-texts-pl.js';
import { pt } from './mail-texts-pt.js';
import { zh } from './mail-texts-zh.js';
import type { MailTexts } from './mail-texts.js';

/** What mails speak, BCP 47; the first stands in for all others. */
export const mailLocales = languages;

const catalogue: Readonly<Record<Language, MailTexts>> = {
  en,
  de,
  fr,
  es,
  it,
  pt,
  nl,
  pl,
  ja,
  zh,
};

/** The recipient's language, else the organization's, else English. */
export function mailLanguage({ locale, defaultLocale }: Pick<Mail, 'locale' | 'defaultLocale'>): Language {
  return lookupLocale([locale, defaultLocale ?? ''], mailLocales);
}

/** Texts in that language. */
export function mailTextsFor(wish: Pick<Mail, 'locale' | 'defaultLocale'>): MailTexts {
  return catalogue[mailLanguage(wish)];
}
