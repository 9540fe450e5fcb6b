/** Registered language subtags have two or three letters, while the grammar lets any word pass; `und` is none. */
const NAMES_A_LANGUAGE = /^(?!und\b)[a-z]{2,3}\b/;

/**
 * A BCP 47 tag in its canonical spelling (`de-CH`; `de_ch` is understood). A value that is none counts as
 * not given (protocol §1.1): a language is a wish, and an import must not fail for it.
 */
export function readPreferredLanguage(given: string): string | undefined {
  if (!known.has(given)) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(given, canonicalTag(given.trim().replaceAll('_', '-')));
  }
  return known.get(given);
}

/** Finding out costs more than the rest of a record, and a file of a million people speaks a few languages. */
const known = new Map<string, string | undefined>();
const MOST_KNOWN = 500;

function canonicalTag(tag: string): string | undefined {
  try {
    const canonical = new Intl.Locale(tag).toString();
    return NAMES_A_LANGUAGE.test(canonical) ? canonical : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
