/** Languages that Twilio Verify has a text in (https://www.twilio.com/docs/verify/supported-languages). */
const LOCALES = new Set(
  (
    'af ar ca zh zh-CN zh-HK hr cs da nl en en-GB et fi fr de el he hi hu id it ja kn ko lt ms mr nb pl pt pt-BR ' +
    'ro ru sk es sv tl te th tr uk vi'
  ).split(' '),
);

/** The language or the nearest that Verify knows; undefined leaves it to the service's own. */
export function verifyLocale(language: string): string | undefined {
  const [base = ''] = language.split('-');
  return [language, base.toLowerCase()].find((candidate) => LOCALES.has(candidate));
}
