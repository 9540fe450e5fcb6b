import { IntlMessageFormat } from 'intl-messageformat';
import { html, type Html, type HtmlValue } from './html.js';

/** A text of `locales/` that takes values, in ICU MessageFormat: `{minutes, plural, one {a minute} other {…}}`. */
export interface Message<Name extends string> {
  /** As plain text. */
  (values: Readonly<Record<Name, string | number>>): string;
  /** As markup: the words and the values that are text are escaped, the values that are markup are not. */
  html(values: Readonly<Record<Name, HtmlValue>>): Html;
}

/** @param language by whose rules plurals are chosen, BCP 47 */
export function message(source: string, language: string): Message<string> {
  let format: IntlMessageFormat | undefined;
  // Read when it is first said: a process says a few of ten languages' texts.
  const parts = <Value>(values: Readonly<Record<string, Value>>) =>
    (format ??= new IntlMessageFormat(source, language, undefined, { ignoreTag: true })).formatToParts<Value>(
      values,
    );
  return Object.assign(
    (values: Readonly<Record<string, string | number>>) =>
      parts(values)
        .map(({ value }) => value)
        .join(''),
    {
      html: (values: Readonly<Record<string, HtmlValue>>) => html`${parts(values).map(({ value }) => value)}`,
    },
  );
}
