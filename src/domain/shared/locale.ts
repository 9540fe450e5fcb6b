/** What pages and mails speak, BCP 47; the first stands in for all others. */
export const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ja', 'zh'] as const;
export type Language = (typeof languages)[number];

/** More wishes than anybody has; what comes after them is not looked at. */
const MOST_TAGS = 10;
const LONGEST_LIST = 500;
const TAG = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,7}$/;

/** The tags of a `ui_locales` (OpenID Connect Core §3.1.2.1), best first. What is no tag is left out. */
export function readUiLocales(text: string): readonly string[] {
  return text
    .slice(0, LONGEST_LIST)
    .split(' ')
    .filter((tag) => TAG.test(tag))
    .slice(0, MOST_TAGS);
}

/** An Accept-Language (RFC 9110 §12.5.4). */
interface AcceptedLanguages {
  /** Best first. `*` says nothing of its own and is left out. */
  readonly wanted: readonly string[];
  /** Of weight 0, lower case: not even as what a longer tag falls back to. */
  readonly refused: readonly string[];
}

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

export function readAcceptLanguage(header: string): AcceptedLanguages {
  const ranges = header
    .slice(0, LONGEST_LIST)
    .split(',')
    .map((range) => {
      const [tag = '', parameter] = range.split(';').map((part) => part.trim());
      return { tag, weight: parameter === undefined ? 1 : Number(WEIGHT.exec(parameter)?.[1] ?? Number.NaN) };
    })
    .filter(({ tag, weight }) => TAG.test(tag) && !Number.isNaN(weight));
  return {
    wanted: ranges
      .filter(({ weight }) => weight > 0)
      .toSorted((a, b) => b.weight - a.weight)
      .map(({ tag }) => tag),
    refused: ranges.filter(({ weight }) => weight === 0).map(({ tag }) => tag.toLowerCase()),
  };
}

/**
 * Lookup of RFC 4647 §3.4: each wanted tag in turn, shortened from its end until it matches (`de-CH-1996`,
 * `de-CH`, `de`). Case does not matter and `_` counts as `-`, since imported users bring both.
 */
export function findLocale<Tag extends string>(
  wanted: readonly string[],
  available: readonly Tag[],
): Tag | undefined {
  for (const range of wanted) {
    const subtags = range.trim().toLowerCase().split(/[-_]/).slice(0, 8);
    for (; subtags.length > 0; subtags.pop()) {
      const tag = subtags.join('-');
      const match = available.find((candidate) => candidate.toLowerCase() === tag);
      if (match !== undefined) return match;
    }
  }
  return undefined;
}

/** The same, and the first of `available` when nothing matches. */
export function lookupLocale<Tag extends string>(
  wanted: readonly string[],
  available: readonly [Tag, ...(readonly Tag[])],
): Tag {
  return findLocale(wanted, available) ?? available[0];
}
