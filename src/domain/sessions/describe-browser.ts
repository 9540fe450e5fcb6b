/** First match wins: nearly every browser also claims to be one of those further down. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPiOS|Opera)\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac(?: OS X|intosh)\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];
/** Headers are longer only by accident or malice. */
const MOST_READ = 512;

/**
 * A User-Agent header as a person recognises it in a list of their sessions: `Firefox, Windows`. Every word is ours,
 * so that nothing a header says is ever stored or shown.
 *
 * @returns undefined when neither browser nor system is known
 */
export function describeBrowser(userAgent: string | undefined): string | undefined {
  const text = userAgent?.slice(0, MOST_READ) ?? '';
  const words = [BROWSERS, SYSTEMS].flatMap((known) => known.find(([sign]) => sign.test(text))?.[1] ?? []);
  return words.length === 0 ? undefined : words.join(', ');
}
