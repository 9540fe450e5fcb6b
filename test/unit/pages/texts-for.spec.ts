import { describe, expect, it } from 'vitest';
import { lookupLocale } from '../../../src/domain/shared/locale.js';
import { textsFor } from '../../../src/pages/texts.js';

describe('lookupLocale', () => {
  const available = ['en', 'de', 'zh-Hant', 'pt-BR'] as const;
  it.each([
    [['de-CH-1996'], 'de'],
    [['de_AT'], 'de'],
    [['fr', 'de'], 'de'],
    [['ZH-hant-TW'], 'zh-Hant'],
    [['pt'], 'en'],
    [['*', '', 'x'.repeat(60_000)], 'en'],
    [[], 'en'],
  ])('finds for %j %s', (wanted, found) => {
    expect(lookupLocale(wanted, available)).toBe(found);
  });
});

describe('textsFor', () => {
  it('speaks English when it knows none of the wanted languages', () => {
    expect(textsFor(['tlh', 'sv-SE']).language).toBe('en');
    expect(textsFor([]).language).toBe('en');
  });

  it.each([
    [['sv', 'fr-CH', 'de'], 'fr'],
    [['zh-Hant-TW', 'ja'], 'zh'],
    [['pt_BR'], 'pt'],
    [['sv', 'nl'], 'nl'],
  ])('takes the first of %j that it knows: %s', (wanted, found) => {
    expect(textsFor(wanted).language).toBe(found);
  });
});
