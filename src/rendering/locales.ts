import de from '../../locales/de.json' with { type: 'json' };
import en from '../../locales/en.json' with { type: 'json' };
import es from '../../locales/es.json' with { type: 'json' };
import fr from '../../locales/fr.json' with { type: 'json' };
import it from '../../locales/it.json' with { type: 'json' };
import ja from '../../locales/ja.json' with { type: 'json' };
import nl from '../../locales/nl.json' with { type: 'json' };
import pl from '../../locales/pl.json' with { type: 'json' };
import pt from '../../locales/pt.json' with { type: 'json' };
import zh from '../../locales/zh.json' with { type: 'json' };
import { languages, type Language } from '../domain/shared/locale.js';
import type { Words } from './locale-words.js';
import { message } from './message.js';

/** What a language says, and how it writes. */
export interface Locale extends Words {
  /** BCP 47. */
  readonly language: Language;
}

/** A language that misses a text of English does not compile. */
const files: Readonly<Record<Language, typeof en>> = { en, de, fr, es, it, pt, nl, pl, ja, zh };

const locales = Object.fromEntries(
  languages.map((language) => [language, { language, ...(read(files[language], en, language) as Words) }]),
) as Readonly<Record<Language, Locale>>;

export function localeOf(language: Language): Locale {
  return locales[language];
}

/** What takes values in English takes them in every language, and is a `Message`; all else stays as it is. */
function read(node: unknown, english: unknown, language: string): unknown {
  if (typeof node === 'string') return String(english).includes('{') ? message(node, language) : node;
  // each paragraph: English may have another number of them
  if (Array.isArray(node)) return node.map((paragraph: string) => message(paragraph, language));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      read(value, (english as Record<string, unknown>)[key], language),
    ]),
  );
}
