import { escapeHtml, Html, raw } from '../rendering/html.js';

/** One letter, a hyphen, a word: "e-mail". */
const SHORT_HYPHENATED = /(?<!\p{L})\p{L}-\p{L}+/gu;
/** What stands between tags; `html` writes no `<` or `>` of a value as itself. */
const BETWEEN_TAGS = /[^<>]+(?=<|$)/g;

/** A text in which "e-mail" stays on one line; browsers would break it after its hyphen. */
export function unbroken(text: string | Html): Html {
  const markup = text instanceof Html ? text.toString() : escapeHtml(text);
  return raw(
    markup.replace(BETWEEN_TAGS, (words) =>
      words.replace(SHORT_HYPHENATED, (word) => `<span class="whole">${word}</span>`),
    ),
  );
}
