import { IntlMessageFormat } from 'intl-messageformat';

/** What the console speaks, of the languages of its words: chosen by the service, as for its pages. */
export const language = document.documentElement.lang.startsWith('de') ? 'de' : 'en';

/** How dates and numbers are written: as where the visitor is, if they read that language there. */
export const region =
  navigator.languages.find((tag) => tag.split('-')[0] === language && isTag(tag)) ?? language;

/** Browsers name what the system says, such as `en-US@posix`, which `Intl` does not take. */
function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Words in the language of the visitor. A language that lacks one does not compile. */
export function words<Words>(of: { readonly en: Words; readonly de: NoInfer<Words> }): Words {
  return of[language];
}

const formats = new Map<string, IntlMessageFormat>();

/** A text with its values, in ICU MessageFormat: `{count, plural, one {# user} other {# users}}`. */
export function say(text: string, values: Readonly<Record<string, string | number | Date>>): string {
  let format = formats.get(text);
  if (format === undefined) {
    format = new IntlMessageFormat(text, region);
    formats.set(text, format);
  }
  return String(format.format(values));
}

const moment = new Intl.DateTimeFormat(region, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(region, { dateStyle: 'medium' });
const universalDay = new Intl.DateTimeFormat(region, { dateStyle: 'medium', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(region, { numeric: 'auto' });
const number = new Intl.NumberFormat(region);

/** "26 Nov 2026, 14:30" in the visitor's time zone; empty for nothing. */
export function momentOf(at: string | undefined): string {
  return at === undefined || at === '' ? '' : moment.format(new Date(at));
}

export function dayOf(at: string | undefined): string {
  return at === undefined || at === '' ? '' : day.format(new Date(at));
}

/** What was given as a day is kept as that midnight in UTC, which elsewhere is another day. */
export function universalDayOf(at: string): string {
  return universalDay.format(new Date(at));
}

const STEPS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** "3 minutes ago" */
export function since(at: string | undefined): string {
  if (at === undefined || at === '') return '';
  const seconds = (new Date(at).getTime() - Date.now()) / 1000;
  const step = STEPS.find(([, length]) => Math.abs(seconds) >= length);
  return step === undefined
    ? relative.format(Math.round(seconds), 'second')
    : relative.format(Math.round(seconds / step[1]), step[0]);
}

export function numberOf(value: number | string): string {
  return number.format(Number(value));
}
