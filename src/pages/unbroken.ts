import { escapeHtml, Html, raw } from '../rendering/html.js';

/** One letter, a hyphen, a word: "e-mail". Never the inside of a longer one, as of a name like "user-7n-ada". */
const SHORT_HYPHENATED = /(?<![\p{L}\p{N}_.-])\p{L}-\p{L}[\p{L}\p{N}]*/gu;
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
