/** What pages and mails speak, BCP 47; the first stands in for all others. */
export const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ja', 'zh'] as const;
export type Language = (typeof languages)[number];

/**
 * Lookup of RFC 4647 §3.4: each wanted tag in turn, shortened from its end until it matches (`de-CH-1996`,
 * `de-CH`, `de`). Case does not matter and `_` counts as `-`, since imported users bring both.
 *
 * @returns one of `available`, the first when nothing matches
 */
export function lookupLocale<Tag extends string>(
  wanted: readonly string[],
  available: readonly [Tag, ...(readonly Tag[])],
): Tag {
  for (const range of wanted) {
    const subtags = range.trim().toLowerCase().split(/[-_]/).slice(0, 8);
    for (; subtags.length > 0; subtags.pop()) {
      const tag = subtags.join('-');
      const match = available.find((candidate) => candidate.toLowerCase() === tag);
      if (match !== undefined) return match;
    }
  }
  return available[0];
}
