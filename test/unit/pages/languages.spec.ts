import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ParameterError, type ParameterFault } from '../../../src/domain/shared/errors.js';
import { languages } from '../../../src/domain/shared/locale.js';
import { renderErrorPage } from '../../../src/pages/error-pages.js';
import { pageLanguages, textsFor } from '../../../src/pages/texts.js';
import { allMails, allPages } from '../../support/page-gallery.js';

describe.each(languages)('every page in %s', (tag) => {
  const page = {
    texts: textsFor([tag]),
    nonce: 'bm9uY2U',
    organization: { name: 'Acme', accent: '#ffcc00' },
  };

  it.each(Object.entries(allPages(page)))('%s', (_name, markup) => {
    expect(markup).toMatch(new RegExp(`^<!doctype html>\\s*<html lang="${tag}" dir="ltr">`));
    expect(markup).not.toMatch(/undefined|\[object|\bnull\b|NaN/);
    // the names of all time zones are long, and travel compressed
    const isLong = markup.includes('<optgroup');
    expect(isLong ? gzipSync(markup).length : Buffer.byteLength(markup)).toBeLessThan(15_000);
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

describe.each(languages)('an error page in %s', (tag) => {
  const { errors } = textsFor([tag]);
  const faults = Object.keys(errors.reasons) as ParameterFault[];

  it.each(faults)('says what is wrong with a parameter: %s', (fault) => {
    const { parameter, description } = new ParameterError('client_id', fault);
    const page = {
      texts: textsFor([tag]),
      nonce: 'bm9uY2U',
      organization: { name: 'Acme' },
      referenceId: 'req-1',
    };
    const markup = renderErrorPage({ ...page, kind: 'request', parameter, fault, description });
    const [, reason = ''] = new RegExp(`<dt>${errors.reason}</dt>\\s*<dd>(.*?)</dd>`).exec(markup) ?? [];
    expect(reason).toContain('<code>client_id</code>');
    expect(reason).not.toContain('lang="en"');
    const words = reason.replaceAll(/<[^>]+>/g, '');
    if (tag === 'en') expect(words.replace('is missing', 'missing')).toBe(description);
    else expect(words).not.toBe(description);
  });
});

describe.each(languages)('every mail in %s', (tag) => {
  it.each(Object.entries(allMails(tag)))('%s', (name, mail) => {
    expect(mail.html).toMatch(new RegExp(`^<!doctype html>\\s*<html lang="${tag}" dir="ltr">`));
    expect(mail.subject).toContain('Acme');
    if (name !== 'register') expect(mail.text).toContain('Ada Lovelace');
    expect(mail.text).toContain('2026');
    expect(mail.text).toContain('14:30 UTC');
    expect(mail.text + mail.html).not.toMatch(/undefined|\[object|\bnull\b|NaN/);
  });
});

it.each(languages)('what the show switch is called in %s holds what stands on it (WCAG 2.5.3)', (tag) => {
  const { show, showPassword, hide, hidePassword } = textsFor([tag]).form;
  expect(showPassword.toLowerCase()).toContain(show.toLowerCase());
  expect(hidePassword.toLowerCase()).toContain(hide.toLowerCase());
});

it('languages go by their own names', () => {
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
] as const)('mails in %s write the time as %s', (locale, words) => {
  expect(allMails(locale)['init']?.text).toContain(words);
});
