import { describe, expect, it } from 'vitest';
import { initial, isolated, singleLine } from '../../../src/domain/shared/display-text.js';

describe('singleLine', () => {
  it.each([
    ['Ada\r\nBcc: x@evil.test', 'Ada Bcc: x@evil.test'],
    ['a\u0000b\u0007c\u001b[31md\u0085e\u2028f\u2029g\th', 'a b c [31md e f g h'],
    ['\u202Egnp.exe\u202C \u2066x\u2069\u200F\u200E\u061C', 'gnp.exe x'],
    ['in\u200Bvi\u00ADsi\uFEFFble\u{E0041}', 'invisible'],
    ['  many   blanks\u00a0 ', 'many blanks'],
    ['\ud800lone', 'lone'],
    ['نامه\u200cها', 'نامه\u200cها'],
    ['👩\u200d💻', '👩\u200d💻'],
    ['{{7*7}}', '{{7*7}}'],
  ])('turns %j into %j', (given, line) => {
    expect(singleLine(given)).toBe(line);
  });

  it('cuts at a whole character and says so', () => {
    expect(singleLine('💡'.repeat(11), 10)).toBe(`${'💡'.repeat(9)}…`);
    expect(singleLine('💡'.repeat(10), 10)).toBe('💡'.repeat(10));
  });

  it('is quick on a long line of blanks', () => {
    // cubic, it would be minutes; the quickest of ten, for what else runs on the machine
    const spent = Array.from({ length: 10 }, () => {
      const start = performance.now();
      singleLine(`${' '.repeat(60_000)}x`);
      return performance.now() - start;
    });
    expect(Math.min(...spent)).toBeLessThan(500);
  });
});

describe('initial', () => {
  it.each([
    ['acme', 'A'],
    ['élan', 'É'],
    ['«Zürich»', 'Z'],
    ['7 Seas', '7'],
    ['山田', '山'],
    ['🦊 Fuchs', '🦊'],
    ['', ''],
    ['---', ''],
  ])('of %j is %j', (name, letter) => {
    expect(initial(name)).toBe(letter);
  });
});

describe('isolated', () => {
  it.each([
    ['Ada', 'Ada'],
    ['山田', '山田'],
    ['משה', '\u2068משה\u2069'],
    ['محمد 7', '\u2068محمد 7\u2069'],
  ])('sets %j apart as %j', (name, shown) => {
    expect(isolated(name)).toBe(shown);
  });
});
