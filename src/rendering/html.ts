/**
 * The only way markup is made here, for pages and mails alike. Whatever is put into a template is text and is
 * escaped; markup goes in only as `Html`, which only this tag and `raw` can make. Values may stand in text and
 * in quoted attributes, nowhere else: not in a script, a style sheet, a comment or a tag's name.
 */

/** Markup that is safe to send as it is. */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** `undefined`, `null` and `false` leave nothing behind, so that optional parts read as `condition && html…`. */
export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text made safe for element content and for attribute values in either kind of quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Markup of our own making, taken as it is. Never hand it anything that came from outside. */
export function raw(trusted: string): Html {
  return new Html(trusted);
}

const URL_ATTRIBUTE = /(?:^|[\s"'])(?:href|src|action|formaction)=["']$/i;
const UNQUOTED_ATTRIBUTE = /[\s"'][a-z-]+=$/i;

type Place = 'address' | 'text';

/** Where the values of a template stand: looked at once for each template of the program. */
const places = new WeakMap<TemplateStringsArray, readonly Place[]>();

function placesIn(literals: TemplateStringsArray): readonly Place[] {
  return literals.slice(0, -1).map((before) => {
    if (UNQUOTED_ATTRIBUTE.test(before)) throw new Error(`put quotes around the attribute after "${before}"`);
    return URL_ATTRIBUTE.test(before) ? 'address' : 'text';
  });
}

/**
 * Template tag: html`<p title="${title}">${text}</p>`. Throws when a value stands in an attribute without
 * quotes, where escaping would not hold it.
 */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let known = places.get(literals);
  if (known === undefined) places.set(literals, (known = placesIn(literals)));
  let markup = literals[0] ?? '';
  for (const [index, value] of values.entries()) {
    const isUrl = typeof value === 'string' && known[index] === 'address';
    markup += (isUrl ? escapeHtml(inertUrl(value)) : render(value)) + (literals[index + 1] ?? '');
  }
  return new Html(markup);
}

/** `true` gives the bare name, `undefined` and `false` leave the attribute out. */
export type AttributeValue = string | number | boolean | undefined;

/** Attributes of one tag, with a space in front of each: html`<input${attributes({ id, required: true })} />`. */
export function attributes(values: Readonly<Record<string, AttributeValue>>): Html {
  let markup = '';
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === false) continue;
    const text = URL_ATTRIBUTE.test(` ${name}="`) ? inertUrl(String(value)) : String(value);
    markup += value === true ? ` ${name}` : ` ${name}="${escapeHtml(text)}"`;
  }
  return new Html(markup);
}

function render(value: HtmlValue): string {
  if (value instanceof Html) return value.toString();
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  if (value === undefined || value === null || value === false) return '';
  return value.map(render).join('');
}

/**
 * Escaping does not disarm `javascript:`, so addresses with a scheme other than these lead nowhere. Browsers
 * ignore control characters and blanks in front of and inside a scheme; so does this check.
 */
function inertUrl(address: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what must be seen through here
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address.replace(/[\u0000-\u0020]/g, ''))?.[1]?.toLowerCase();
  return scheme === undefined || ['http', 'https', 'mailto', 'tel'].includes(scheme) ? address : '#';
}
