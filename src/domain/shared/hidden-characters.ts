/**
 * Format characters (Unicode category Cf): nobody sees them, and they turn the direction of the text around them
 * (U+202E and its kin) or make two names that look the same (U+200B, tags). Left out are the joiners, which Persian,
 * Indic scripts and emoji need, and the marks that are part of a script or can be seen.
 */
const HIDDEN =
  /(?!\p{Join_Control}|[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u180E\u{110BD}\u{110CD}\u{13430}-\u{1345F}\u{1BCA0}-\u{1BCA3}])\p{Cf}/u;
const ALL_HIDDEN = new RegExp(HIDDEN, 'gu');
/** Controls (line breaks, NUL), unpaired surrogates, line and paragraph separators: they forge headers and log lines. */
const BROKEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
const REFUSED = new RegExp(`${BROKEN.source}|${HIDDEN.source}`, 'u');
const TURNS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

export function hasHidden(text: string): boolean {
  return HIDDEN.test(text);
}

/** For what was stored before it was refused. */
export function withoutHidden(text: string): string {
  return text.replace(ALL_HIDDEN, '');
}

/**
 * Why this cannot be a name, as the rest of a sentence that begins with the field's: the first character that must not
 * be in one. The one rule for names of people, users, organizations, projects and applications (security S205).
 */
export function nameFault(text: string): string | undefined {
  const [found] = REFUSED.exec(text) ?? [];
  if (found === undefined) return undefined;
  const code = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return `must not contain ${code}, ${reasonOf(found)}`;
}

function reasonOf(character: string): string {
  if (TURNS.test(character)) return 'which turns the direction of text';
  if (!BROKEN.test(character)) return 'which cannot be seen';
  return /\p{Cs}/u.test(character) ? 'which is half a character' : 'a control character or line break';
}
