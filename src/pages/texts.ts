import { languages, lookupLocale, type Language } from '../domain/shared/locale.js';
import { localeOf, type Locale } from '../rendering/locales.js';

/** What pages say in one language. */
export type Texts = Locale['pages'] &
  Pick<Locale, 'language' | 'languageName' | 'direction' | 'dates' | 'familyNameFirst' | 'labelled'>;

const catalogue = Object.fromEntries(languages.map((language) => [language, textsOf(language)])) as Readonly<
  Record<Language, Texts>
>;

function textsOf(tag: Language): Texts {
  const { language, languageName, direction, dates, familyNameFirst, labelled, pages } = localeOf(tag);
  return { language, languageName, direction, dates, familyNameFirst, labelled, ...pages };
}

/** Languages with their names in themselves, for a list to choose from. */
export const pageLanguages: readonly { readonly tag: Language; readonly name: string }[] = languages.map(
  (tag) => ({ tag, name: localeOf(tag).languageName }),
);

/**
 * Texts for the first wanted locale we speak, else English.
 *
 * @param locales BCP 47, best first: `ui_locales`, then Accept-Language, then the organization's default
 */
export function textsFor(locales: readonly string[]): Texts {
  return catalogue[lookupLocale(locales, languages)];
}
