import { html, type Html } from '../../../domain/shared/html.js';

/** One letter, a hyphen, a word: "e-mail". */
const SHORT_HYPHENATED = /(?<!\p{L})(\p{L}-\p{L}+)/gu;

/** A text in which "e-mail" stays on one line; browsers would break it after its hyphen. */
export function unbroken(text: string): Html {
  // a split by a group gives the group's matches at the odd places
  const parts = text.split(SHORT_HYPHENATED);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<span class="whole">${part}</span>`))}`;
}
