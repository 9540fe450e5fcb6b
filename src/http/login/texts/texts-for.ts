import { lookupLocale } from '../../../domain/shared/locale.js';
import { en } from './en.js';
import type { Texts } from './texts.js';

/** What pages speak, BCP 47; the first stands in for all others. */
export const pageLocales = ['en'] as const;

const catalogue: Readonly<Record<(typeof pageLocales)[number], Texts>> = { en };

/** Texts for the first wanted locale we speak (BCP 47, best first: `ui_locales`, then Accept-Language), else English. */
export function textsFor(locales: readonly string[]): Texts {
  return catalogue[lookupLocale(locales, pageLocales)];
}
