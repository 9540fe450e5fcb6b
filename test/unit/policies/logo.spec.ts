import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { contentTypeOf, isLogoName, logoOf } from '../../../src/domain/policies/logo.js';
import { changedFields } from '../../../src/domain/shared/changed-fields.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const PNG = bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR and so on');

describe('logoOf', () => {
  it.each([
    ['png', 'image/png', PNG],
    ['jpg', 'image/jpeg', bytes('\xff\xd8\xff\xe0\0\x10JFIF')],
    ['webp', 'image/webp', bytes('RIFF\x24\0\0\0WEBPVP8 ')],
    ['webp', 'image/webp', bytes('RIFF\n\r\0\0WEBPVP8L')],
    ['webp', 'image/webp', bytes('RIFF\x24\0\0\0WEBPVP8X')],
  ])('knows a %s by its first bytes, and names it by all of them', (ending, contentType, content) => {
    const logo = logoOf(content);
    expect(logo?.name).toBe(`${createHash('sha256').update(content).digest('hex')}.${ending}`);
    expect(logo?.content).toBe(content);
    expect(contentTypeOf(logo?.name ?? 'x.png')).toBe(contentType);
    expect(isLogoName(logo?.name ?? '')).toBe(true);
  });

  it.each([
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    '<?xml version="1.0"?><svg/>',
    '<!doctype html>',
    'GIF89a',
    'BM',
    '%PDF-1.7',
    '\x89PNG',
    '\x89PNG\r\n\x1a\n<svg/>',
    ' \x89PNG\r\n\x1a\n\0\0\0\rIHDR',
    'RIFF\x24\0\0\0WAVEfmt ',
    '\xff\xd8',
    '',
  ])('takes %j for no picture', (text) => {
    expect(logoOf(bytes(text))).toBeUndefined();
  });
});

it.each(['', 'x.png', `${'a'.repeat(64)}.svg`, `${'A'.repeat(64)}.png`, `${'a'.repeat(64)}.png/..`, '../x'])(
  'no logo is called %j',
  (name) => expect(isLogoName(name)).toBe(false),
);

it('two policies differ in what one of them says otherwise', () => {
  expect(changedFields({ a: 1, b: undefined, c: 3 }, { a: 2, c: 3, d: 4 })).toEqual(['a', 'd']);
  expect(changedFields({ a: 1 }, { a: 1 })).toEqual([]);
});
