const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
const PRINTABLE_ASCII = /^[ -~]*$/;

/** Compatibility forms can make a name 18 times as long; an index row of PostgreSQL holds 2.7 kB. */
export const LONGEST_CANONICAL_BYTES = 1000;

/**
 * The form in which names people sign in with are compared and kept unique: user names, full login names and
 * e-mail addresses. It follows Unicode's NFKC_Casefold (Unicode Standard §3.13, D147): compatibility forms,
 * case and invisible characters make no difference. Surrounding space goes, and so do the dots that may end
 * the domain of `name@example.com.`. Applying it twice changes nothing.
 */
export function canonicalName(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return withoutEnds(text.toLowerCase());
  // Folding can leave a sequence that composes again, so it runs between two normalisations.
  const folded = Array.from(text.normalize('NFKC').replace(IGNORABLE, ''), foldCase).join('');
  return withoutEnds(folded.normalize('NFKC'));
}

/**
 * Full case folding of one character by way of its capital: ß and ẞ become ss, final ς becomes σ. The Turkish
 * dotless ı stays itself, as in Unicode's table; otherwise `admın` would be `admin`.
 */
function foldCase(character: string): string {
  return character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase();
}

function withoutEnds(text: string): string {
  const name = text.trim();
  if (!name.includes('@')) return name;
  let end = name.length;
  while (/[.\s]/u.test(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}
