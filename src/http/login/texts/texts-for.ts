import { type Language, languages, lookupLocale } from '../../../domain/shared/locale.js';
import { de } from './de.js';
import { en } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { it } from './it.js';
import { ja } from './ja.js';
import { nl } from './nl.js';
import { pl } from './pl.js';
import { pt } from './pt.js';
import type { Texts } from './texts.js';
import { zh } from './zh.js';

/** What pages speak, BCP 47; the first stands in for all others. */
export const pageLocales = languages;

const catalogue: Readonly<Record<Language, Texts>> = {
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

/** The same with the name of each language in itself, for a list to choose from. */
export const pageLanguages: readonly { readonly tag: Language; readonly name: string }[] = pageLocales.map(
  (tag) => ({ tag, name: catalogue[tag].languageName }),
);

/**
 * Texts for the first wanted locale we speak, else English.
 *
 * @param locales BCP 47, best first: `ui_locales`, then Accept-Language, then the organization's default
 */
export function textsFor(locales: readonly string[]): Texts {
  return catalogue[lookupLocale(locales, pageLocales)];
}
