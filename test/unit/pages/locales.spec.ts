import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { localeWords, placeholdersOf } from '../../../scripts/locale-words.mjs';
import { languages } from '../../../src/domain/shared/locale.js';
import { localeOf } from '../../../src/rendering/locales.js';
import { message } from '../../../src/rendering/message.js';

// Every file of locales/ says everything that English says and nothing else, with the same values in it, in words of
// its own. Here it is the files that are read, so that what a translator wrote is what is spoken of.

const FOLDER = new URL('../../../locales/', import.meta.url);

function textsOf(node: unknown, path: readonly string[] = []): (readonly [string, string])[] {
  if (typeof node !== 'object' || node === null) return [[path.join('.'), String(node)]];
  return Object.entries(node).flatMap(([key, value]) => textsOf(value, [...path, key]));
}

function textsIn(language: string): ReadonlyMap<string, string> {
  return new Map(textsOf(JSON.parse(readFileSync(new URL(`${language}.json`, FOLDER), 'utf8'))));
}

/** A message may have more paragraphs in one language than in another. */
const PARAGRAPH = /\.text\.\d+$/;
function placeholdersIn(texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>();
  for (const [name, text] of texts) {
    const whole = name.replace(PARAGRAPH, '.text');
    names.set(whole, [...new Set([...(names.get(whole) ?? []), ...placeholdersOf(text).names])].sort());
  }
  return names;
}

const english = textsIn('en');

/** Texts that need not say all that English says: the sentence has no place for it. */
const LEFT_OUT: Readonly<Partial<Record<string, readonly string[]>>> = {
  ja: ['mails.verify_email.preheader'],
};

/** About the language, or only punctuation around a name; or a word that the language has in common with English. */
const SAME: Readonly<Partial<Record<string, readonly string[]>>> & { readonly all: readonly string[] } = {
  all: ['direction', 'familyNameFirst', 'labelled', 'pages.layout.title', 'mails.moment'],
  de: [
    'pages.form.code',
    'pages.form.optional',
    'pages.errors.parameter',
    'pages.account.passkeys.title',
    'pages.account.passkeys.count',
    'pages.account.passkeys.name',
    'pages.clientLinks.website',
    'pages.account.profile.groups.names',
    'pages.account.profile.fields.website',
  ],
  fr: ['pages.form.code', 'pages.account.applications.title'],
  es: ['pages.layout.problem', 'pages.layout.titleWithProblem'],
  it: ['pages.form.password', 'pages.form.account', 'pages.layout.privacy'],
  nl: [
    'pages.clientLinks.website',
    'pages.account.profile.fields.website',
    'pages.form.code',
    'pages.form.account',
    'pages.layout.privacy',
    'pages.errors.parameter',
    'pages.account.passkeys.title',
    'pages.account.passkeys.count',
  ],
};

it('there is a file for every language, and no other', () => {
  const expected = [...languages.map((tag) => `${tag}.json`), 'README.md', 'console'];
  expect(readdirSync(FOLDER).sort()).toEqual(expected.sort());
});

it('the type of the words is that of the English ones: `npm run locales` makes it', async () => {
  const file = new URL('../../../src/rendering/locale-words.ts', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(await localeWords());
});

describe.each(languages)('locales/%s.json', (tag) => {
  const texts = textsIn(tag);

  it('has the texts of English and no other, none of them empty', () => {
    const named = (all: ReadonlyMap<string, string>) =>
      [...new Set([...all.keys()].map((name) => name.replace(PARAGRAPH, '.text')))].sort();
    expect(named(texts)).toEqual(named(english));
    expect([...texts].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it('has the placeholders of English in each of them and no other', () => {
    const expected = new Map(placeholdersIn(english));
    for (const name of LEFT_OUT[tag] ?? []) expected.set(name, []);
    expect(placeholdersIn(texts)).toEqual(expected);
  });

  it('has every plural that its language tells apart, counted from 1 to 1000', () => {
    const rules = new Intl.PluralRules(tag);
    const needed = new Set(Array.from({ length: 1000 }, (_, count) => rules.select(count + 1)));
    for (const [name, text] of texts) {
      for (const { categories } of placeholdersOf(text).plurals) {
        expect(categories, name).toEqual(expect.arrayContaining([...needed, 'other']));
        for (const category of categories)
          expect(rules.resolvedOptions().pluralCategories).toContain(category);
      }
    }
  });

  it('keeps to the typography of its language', () => {
    for (const [name, source] of texts) {
      if (!/^(?:pages|mails|sms|labelled)/.test(name)) continue;
      const values = Object.fromEntries(
        placeholdersOf(source).names.map((placeholder) => [placeholder, 4711]),
      );
      const text = source.includes('{') ? message(source, tag)(values) : source;
      expect(text, name).not.toMatch(/\.\.\.|["']| {2}|[{}]/);
      if (/\.(?:title|button|summary|atField|submit)$/.test(name)) expect(text, name).toBe(text.trim());
      if (tag === 'fr') {
        expect(text, name).not.toMatch(/[^\u202f\p{P}][;!?]/u);
        expect(text, name).not.toMatch(/[^\u00a0\d]:/);
      }
      if (tag === 'ja' || tag === 'zh') {
        expect(text, name).not.toMatch(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][,.:;?!]/u);
        expect(text, name).not.toMatch(
          /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]\s+[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
        );
      }
    }
  });
});

describe.each(languages.filter((tag) => tag !== 'en'))('the words of locales/%s.json', (tag) => {
  it('are not English', () => {
    const texts = textsIn(tag);
    const same = [...texts].filter(([name, text]) => text === english.get(name)).map(([name]) => name);
    expect(same.filter((name) => ![...SAME.all, ...(SAME[tag] ?? [])].includes(name))).toEqual([]);
    for (const [name, text] of texts) {
      const words = text.replaceAll(/\{\w+\}/g, ' ');
      expect(` ${words} `, name).not.toMatch(/\s(?:the|your|you|with|and|please|sign|again)\s/i);
    }
  });
});

it.each([
  [1, 'Odczekaj minutę'],
  [2, '2 minuty'],
  [5, '5 minut '],
  [12, '12 minut '],
  [23, '23 minuty'],
])('Polish counts %i as Poles do', (minutes, words) => {
  expect(localeOf('pl').pages.errors.waitMinutes({ minutes })).toContain(words);
});

it('Italian calls people tu in every text, and never lei', () => {
  for (const [name, text] of textsIn('it')) {
    expect(text, name).not.toMatch(
      /\b(?:lei|farla|la faccia|consenta|si fida|in sua assenza)\b|(?:vedere il|Inserisca il) suo\b/i,
    );
  }
});

describe('a message', () => {
  const greeting = message('Hello <{name}>, you & {other}', 'en');

  it('is escaped where it becomes markup, and its values are', () => {
    expect(greeting.html({ name: '<b>', other: false }).toString()).toBe(
      'Hello &lt;&lt;b&gt;&gt;, you &amp; ',
    );
    expect(greeting({ name: '<b>', other: 1 })).toBe('Hello <<b>>, you & 1');
  });

  it('takes markup as a value', () => {
    const name = message('{x}', 'en').html({ x: 'O’Hara & Co' });
    expect(greeting.html({ name, other: [name, ' and ', name] }).toString()).toBe(
      'Hello &lt;O’Hara &amp; Co&gt;, you &amp; O’Hara &amp; Co and O’Hara &amp; Co',
    );
  });

  it('reads nothing in a value, and misses none', () => {
    expect(greeting({ name: '{other}', other: 'x' })).toBe('Hello <{other}>, you & x');
    expect(() => greeting({ name: 'x' })).toThrow('other');
  });
});
