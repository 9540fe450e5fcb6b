import type { Placeholder } from './message-texts.js';

/**
 * The whole template engine: names of a closed list in double braces, each replaced by a text, once. There is nothing
 * to evaluate, look up or include, so there is nothing to escape from (security S178). A library without logic has
 * sections, partials, raw output, changeable delimiters and paths into objects, all of which we would have to switch
 * off; what is left of it is these few lines.
 */
const PLACEHOLDER = /\{\{ *([A-Za-z]+) *\}\}/g;

export type Values = Readonly<Partial<Record<Placeholder, string>>>;

/** One pass: what a value says, `{{code}}` too, stands there as it is. @throws on a placeholder without a value */
export function fill(source: string, values: Values): string {
  return source.replace(PLACEHOLDER, (_whole, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`no value for the placeholder ${name}`);
    return values[name as Placeholder] ?? '';
  });
}

export function uses(source: string, placeholder: Placeholder): boolean {
  return Array.from(source.matchAll(PLACEHOLDER)).some(([, name]) => name === placeholder);
}

/** The first thing in double braces that is no placeholder of the list, cut short; undefined when there is none. */
export function foreignPlaceholder(source: string, allowed: readonly Placeholder[]): string | undefined {
  const rawOutput = /\{{3}[^{}]{0,50}|\}{3}/.exec(source);
  if (rawOutput !== null) return rawOutput[0];
  const rest = source.replace(PLACEHOLDER, (whole, name: string) =>
    (allowed as readonly string[]).includes(name) ? '' : whole,
  );
  const start = rest.search(/\{\{|\}\}/);
  if (start < 0) return undefined;
  const end = rest.indexOf('}}', start);
  const whole = rest.slice(start, end < 0 ? undefined : end + 2);
  return whole.length <= 60 ? whole : `${whole.slice(0, 59)}…`;
}
