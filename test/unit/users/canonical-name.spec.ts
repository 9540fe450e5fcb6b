import { describe, expect, it } from 'vitest';
import { canonicalName } from '../../../src/domain/users/names/canonical-name.js';
import { growth, LINEAR } from '../../support/processor-time.js';

describe('canonical name', () => {
  it.each([
    ['case', 'Anna.Muster', 'anna.muster'],
    ['case beyond ASCII', 'ÅSA', 'åsa'],
    ['composed and decomposed', 'A\u030Asa', 'åsa'],
    ['full width', 'Ａｎｎａ＠ｅｘａｍｐｌｅ．ｃｈ', 'anna@example.ch'],
    ['ligature', 'ﬁnn', 'finn'],
    ['sharp s', 'Straße', 'strasse'],
    ['capital sharp s', 'STRAẞE', 'strasse'],
    ['final sigma', 'ΟΔΟΣ', 'οδοσ'],
    ['Kelvin sign', '\u212Aarl', 'karl'],
    ['invisible characters', 'an\u200Bna\u00AD\uFEFF', 'anna'],
    ['surrounding space', '  anna\u00A0', 'anna'],
    ['dots that end a domain', 'anna@example.ch..', 'anna@example.ch'],
    ['dots that end a plain name', 'anna.', 'anna.'],
    ['nothing but invisible characters', '\u200B\u2060', ''],
  ])('%s', (_name, text, canonical) => {
    expect(canonicalName(text)).toBe(canonical);
  });

  it('keeps the Turkish dotless i apart from i, and İ apart from i', () => {
    expect(canonicalName('admın')).not.toBe('admin');
    expect(canonicalName('ADMİN')).not.toBe('admin');
  });

  it('is the same for every case variant of a character, and applying it again changes nothing', () => {
    const faults: string[] = [];
    for (let point = 0; point < 0x30000; point += 1) {
      if (point >= 0xd800 && point < 0xe000) continue;
      const character = String.fromCodePoint(point);
      const canonical = canonicalName(`a${character}b`);
      if (canonicalName(canonical) !== canonical) faults.push(`idempotence ${point.toString(16)}`);
      // Only the dotless i is not the small letter of its capital.
      if (point !== 0x131 && canonicalName(`a${character.toUpperCase()}b`) !== canonical) {
        faults.push(`case ${point.toString(16)}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('takes linear time', async () => {
    const dots = (size: number) => canonicalName(`${'a@'.repeat(size)}${'.'.repeat(size)}x`);
    expect(await growth(dots, 5_000)).toBeLessThan(LINEAR);
    const marks = (size: number) => canonicalName('ß\u0301\u200B'.repeat(size));
    expect(await growth(marks, 5_000)).toBeLessThan(LINEAR);
  });
});
