import { attributes, html, type Html } from '../rendering/html.js';
import type { Texts } from './texts.js';

/**
 * Moments on pages. Whose time zone it is that a browser stands in is not known without scripts, so a page says how long ago
 * something was, and where a day is enough the day (UTC).
 */

const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' };

/** Longest first. */
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `4 November 2026`, and the moment itself for who wants to know it. */
export function dayOf(moment: Date, { dates }: Texts): Html {
  return timeElement(moment, formatsOf(dates).day.format(moment));
}

/** `5 minutes ago`, `yesterday`, `now`. */
export function agoInWords(moment: Date, now: Date, { dates }: Texts): Html {
  const seconds = Math.max(0, (now.getTime() - moment.getTime()) / 1000);
  const [unit, length] = UNITS.find((candidate) => seconds >= candidate[1]) ?? ['second', Infinity];
  return timeElement(moment, formatsOf(dates).ago.format(-Math.floor(seconds / length), unit));
}

function timeElement(moment: Date, text: string): Html {
  const title = `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return html`<time${attributes({ datetime: moment.toISOString(), title })}>${text}</time>`;
}

interface MomentFormats {
  readonly day: Intl.DateTimeFormat;
  readonly ago: Intl.RelativeTimeFormat;
}

/** One for each language: making one costs more than the rest of a page. */
const formats = new Map<string, MomentFormats>();

function formatsOf(locale: string): MomentFormats {
  let made = formats.get(locale);
  if (made === undefined) {
    made = {
      day: new Intl.DateTimeFormat(locale, DAY),
      ago: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
    };
    formats.set(locale, made);
  }
  return made;
}
