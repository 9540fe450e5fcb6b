import { withoutHidden } from './hidden-characters.js';

/** Line breaks, tabs and all other control characters, and the two Unicode line separators. */
const LINE_BREAKING = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const UNPAIRED_SURROGATE = /\p{Cs}/gu;

/**
 * A name that others typed, fit to stand in one line of a page, a mail or a mail's subject: no line breaks
 * (header injection), no control characters, nothing that turns the reading direction, at most `longest`
 * characters with an ellipsis at the end. Joiners stay, because Persian names and emoji need them.
 */
export function singleLine(value: string, longest = 200): string {
  const line = withoutHidden(value.replace(LINE_BREAKING, ' '))
    .replace(UNPAIRED_SURROGATE, '')
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= longest
    ? line
    : `${characters
        .slice(0, longest - 1)
        .join('')
        .trimEnd()}…`;
}

/** Letters that are read from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** A name between words of another direction, set apart where `<bdi>` cannot be had: U+2068 and U+2069. */
export function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

/** Invisible, and in no address: before it, programs that make links of addresses stop, and behind it nothing leads anywhere. */
const NON_JOINER = '\u200C';

/**
 * Text that others wrote, fit for a message: it looks the same, and no mail program makes a link of what looks like an
 * address in it; nor of two such texts side by side, or around a placeholder. For lines that people read, not for what
 * they copy.
 */
export function unlinked(text: string): string {
  return text
    .replace(/:(?!\s)/g, `:${NON_JOINER}`)
    .replace(/(?<=^|[\p{L}\p{N}_}-])[.@](?=$|[\p{L}\p{N}{])/gu, (mark) => `${NON_JOINER}${mark}`);
}

/** Making one costs more than all that is asked of it. */
const letters = new Intl.Segmenter();

/** The first letter, digit or emoji of a name as a capital: stands where a logo or a portrait would. */
export function initial(name: string): string {
  const [first] = letters.segment(singleLine(name).replace(/^[^\p{L}\p{N}\p{Emoji_Presentation}]+/u, ''));
  return first?.segment.toLocaleUpperCase() ?? '';
}
