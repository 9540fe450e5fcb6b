const MILLISECONDS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const FORM = /^(?:\d{1,12}(?:\.\d{1,12})?(?:ns|us|µs|μs|ms|s|m|h)){1,8}$/;
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)/g;

/** `30m`, `1h30m`, `90s`, `1.5h`: a duration as Go writes it, in milliseconds; undefined for what is none, or not above zero. */
export function readGoDuration(text: string): number | undefined {
  if (!FORM.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, number, unit = ''] of text.matchAll(PART)) {
    milliseconds += Number(number) * (MILLISECONDS[unit] ?? Number.NaN);
  }
  return milliseconds > 0 && Number.isFinite(milliseconds) ? milliseconds : undefined;
}
