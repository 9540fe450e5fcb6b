import { describe, expect, it } from 'vitest';
import { mailLocales, mailTextsFor } from '../../../src/domain/notifications/mails/mail-texts-for.js';
import { pageLanguages, pageLocales, textsFor } from '../../../src/http/login/texts/texts-for.js';
import { allMails, allPages } from '../../support/page-gallery.js';

// Every language says everything that English says, with the same names in it, in words of its own. Types see to it
// that no key is missing; that none is empty, forgotten in English, or short of a name is seen to here.

type Tag = (typeof pageLocales)[number];

/** What functions of texts are called with: names in texts, and numbers wherever a count is wanted. */
const MARKS = [4711, 4712] as const;

/** A text by where it stands: `signIn.problems.login-name-missing.summary`. */
function* textsOf(node: unknown, path: readonly string[] = []): Generator<readonly [string, string, number]> {
  const name = path.join('.');
  if (typeof node === 'string') yield [name, node, 0];
  else if (typeof node === 'function') {
    const said: unknown = (node as (...marks: readonly number[]) => unknown)(...MARKS);
    const text = Array.isArray(said) ? said.join('\n') : String(said);
    // markup may be folded in its source, and browsers show that as one blank
    yield [name, text.replace(/\n\s+/g, ' '), node.length];
  } else if (typeof node === 'object' && node !== null) {
    for (const [key, value] of Object.entries(node)) yield* textsOf(value, [...path, key]);
  }
}

const english = {
  pages: new Map(Array.from(textsOf(textsFor(['en'])), ([name, ...rest]) => [name, rest] as const)),
  mails: new Map(
    Array.from(textsOf(mailTextsFor({ locale: 'en' })), ([name, ...rest]) => [name, rest] as const),
  ),
};

function localesBesideEnglish(): readonly Tag[] {
  return pageLocales.filter((tag) => tag !== 'en');
}

/** Punctuation around a name, or a word that the language has in common with English. */
const SAME: Readonly<Partial<Record<Tag, readonly string[]>>> & { readonly all: readonly string[] } = {
  all: ['dir', 'layout.title', 'layout.labelled', 'labelled', 'moment'],
  de: ['form.code', 'errors.parameter'],
  fr: ['form.code'],
  es: ['layout.problem', 'layout.titleWithProblem'],
  it: ['form.password', 'form.account', 'layout.privacy'],
  nl: ['form.code', 'form.account', 'layout.privacy', 'errors.parameter'],
};

const catalogues = localesBesideEnglish().flatMap((tag) => [
  ['pages', tag, textsFor([tag])] as const,
  ['mails', tag, mailTextsFor({ locale: tag })] as const,
]);

describe.each(catalogues)('the words of the %s in %s', (kind, tag, texts) => {
  const entries = Array.from(textsOf(texts));

  it('are complete, none of them empty', () => {
    expect(entries.map(([name]) => name).sort()).toEqual([...english[kind].keys()].sort());
    expect(entries.filter(([, text]) => text.trim() === '')).toEqual([]);
    expect(texts.lang).toBe(tag);
  });

  it('are not English', () => {
    const same = entries
      .filter(([name, text]) => text === english[kind].get(name)?.[0])
      .map(([name]) => name);
    expect(same.filter((name) => ![...SAME.all, ...(SAME[tag] ?? [])].includes(name))).toEqual([]);
    for (const [name, text] of entries) {
      expect(` ${text} `, name).not.toMatch(/\s(?:the|your|you|with|and|please|sign|again)\s/i);
    }
  });

  it('say every name and number that they are told', () => {
    for (const [name, text, count] of entries) {
      for (const mark of MARKS.slice(0, count)) expect(text, name).toContain(String(mark));
    }
  });

  it('keep to the typography of their language', () => {
    for (const [name, text] of entries) {
      expect(text, name).not.toMatch(/\.\.\.|["']| {2}/);
      if (/\.(?:heading|button|summary|atField|title|submit)$/.test(name))
        expect(text, name).toBe(text.trim());
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

describe.each(pageLocales)('every page in %s', (tag) => {
  const page = {
    texts: textsFor([tag]),
    nonce: 'bm9uY2U',
    organization: { name: 'Acme', accent: '#ffcc00' },
  };

  it.each(Object.entries(allPages(page)))('%s', (_name, markup) => {
    expect(markup).toMatch(new RegExp(`^<!doctype html>\\s*<html lang="${tag}" dir="ltr">`));
    expect(markup).not.toMatch(/undefined|\[object|\bnull\b|NaN/);
    expect(Buffer.byteLength(markup)).toBeLessThan(15_000);
    // whose page it is, in their colour
    expect(markup).toContain('<bdi>Acme</bdi>');
    expect(markup).toContain('--accent:#ffcc00;');
    const ids = Array.from(markup.matchAll(/\sid="([^"]+)"/g), (match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, list] of markup.matchAll(
      /(?:aria-describedby|aria-controls|for|data-enables)="([^"]+)"/g,
    )) {
      for (const id of list?.split(' ') ?? []) expect(ids).toContain(id);
    }
  });
});

describe.each(mailLocales)('every mail in %s', (tag) => {
  it.each(Object.entries(allMails(tag)))('%s', (name, mail) => {
    expect(mail.html).toMatch(new RegExp(`^<!doctype html>\\s*<html lang="${tag}" dir="ltr">`));
    expect(mail.subject).toContain('Acme');
    if (name !== 'register') expect(mail.text).toContain('Ada Lovelace');
    expect(mail.text).toContain('2026');
    expect(mail.text).toContain('14:30 UTC');
    expect(mail.text + mail.html).not.toMatch(/undefined|\[object|\bnull\b|NaN/);
  });
});

it.each(pageLocales)('what the show switch is called in %s holds what stands on it (WCAG 2.5.3)', (tag) => {
  const { show, showPassword, hide, hidePassword } = textsFor([tag]).form;
  expect(showPassword.toLowerCase()).toContain(show.toLowerCase());
  expect(hidePassword.toLowerCase()).toContain(hide.toLowerCase());
});

it('pages and mails speak the same languages, each by its own name', () => {
  expect(mailLocales).toEqual(pageLocales);
  expect(pageLanguages.map(({ name }) => name)).toEqual([
    'English',
    'Deutsch',
    'Français',
    'Español',
    'Italiano',
    'Português',
    'Nederlands',
    'Polski',
    '日本語',
    '中文',
  ]);
});

it.each([
  ['de', '24. November 2026 um 14:30 UTC'],
  ['fr', '24 novembre 2026 à 14:30 UTC'],
  ['es', '24 de noviembre de 2026 a las 14:30 UTC'],
  ['it', '24 novembre 2026 alle 14:30 UTC'],
  ['pt', '24 de novembro de 2026 às 14:30 UTC'],
  ['nl', '24 november 2026 om 14:30 UTC'],
  ['pl', '24 listopada 2026, 14:30 UTC'],
  ['ja', '2026年11月24日 14:30 UTC'],
  ['zh', '2026年11月24日 14:30 UTC'],
])('mails in %s write the time as %s', (locale, words) => {
  expect(allMails(locale)['init']?.text).toContain(words);
});

it.each([
  [1, 'Odczekaj minutę'],
  [2, '2 minuty'],
  [5, '5 minut '],
  [12, '12 minut '],
  [23, '23 minuty'],
])('Polish counts %i as Poles do', (minutes, words) => {
  expect(textsFor(['pl']).errors.waitMinutes(minutes)).toContain(words);
});
