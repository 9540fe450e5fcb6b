import { describe, expect, it } from 'vitest';
import {
  findLocale,
  languages,
  readAcceptLanguage,
  readUiLocales,
} from '../../../src/domain/shared/locale.js';

describe('findLocale (RFC 4647 §3.4)', () => {
  it.each([
    ['de-CH', 'de'],
    ['DE-ch', 'de'],
    ['pt-PT', 'pt'],
    ['pt-BR', 'pt'],
    ['zh-Hant-TW', 'zh'],
    ['zh-Hans', 'zh'],
    ['en-US-u-ca-gregory', 'en'],
    ['ja-JP-x-private', 'ja'],
  ])('%s is %s', (tag, language) => {
    expect(findLocale([tag], languages)).toBe(language);
  });

  // a tag must match up to a hyphen: Sami is not Spanish, Plautdietsch not Portuguese, Frisian not French
  it.each(['se', 'sv', 'pdt', 'frr', 'deu', 'e', 'i-default', 'x-de', '-de', '*', ''])(
    '%j is none',
    (tag) => {
      expect(findLocale([tag], languages)).toBeUndefined();
      expect(findLocale([tag, 'pl'], languages)).toBe('pl');
    },
  );
});

describe('readUiLocales', () => {
  it.each([
    ['de-CH en', ['de-CH', 'en']],
    ['  fr   it ', ['fr', 'it']],
    ['../../etc/passwd', []],
    ['{{7*7}} ${x} <b> de', ['de']],
    ['__proto__ constructor', []],
    ['', []],
  ])('%j is %j', (text, tags) => {
    expect(readUiLocales(text)).toEqual(tags);
  });

  it('looks at the first few only', () => {
    expect(readUiLocales(`${'xx '.repeat(9_999)}de`)).toEqual(Array.from({ length: 10 }, () => 'xx'));
  });
});

describe('readAcceptLanguage (RFC 9110 §12.5.4)', () => {
  it.each([
    ['de-CH, fr;q=0.9, en;q=0.8', ['de-CH', 'fr', 'en']],
    ['en;q=0.8,de;q=0.9,fr', ['fr', 'de', 'en']],
    ['de ; Q=0.5 , fr;q=1.000', ['fr', 'de']],
    ['*, de;q=0.1', ['de']],
    ['de;q=2, fr;q=-1, it;q=x, es;q=, pl;q=0.5', ['pl']],
    ['', []],
    [',;,', []],
  ])('%j wants %j', (header, wanted) => {
    expect(readAcceptLanguage(header)).toEqual({ wanted, refused: [] });
  });

  it('tells what is refused from what is wanted', () => {
    expect(readAcceptLanguage('de-CH, DE;q=0, fr;q=0.000, en')).toEqual({
      wanted: ['de-CH', 'en'],
      refused: ['de', 'fr'],
    });
  });
});
