import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { placeholdersOf } from '../../../scripts/locale-words.mjs';

// The words of the console, a file for each part of it. That no language lacks one is for the compiler to say.

const FOLDER = new URL('../../../locales/console/', import.meta.url);

function textsOf(node: unknown, path: readonly string[] = []): (readonly [string, string])[] {
  if (typeof node !== 'object' || node === null) return [[path.join('.'), String(node)]];
  return Object.entries(node).flatMap(([key, value]) => textsOf(value, [...path, key]));
}

function textsIn(language: string, file: string): ReadonlyMap<string, string> {
  return new Map(textsOf(JSON.parse(readFileSync(new URL(`${language}/${file}`, FOLDER), 'utf8'))));
}

const files = readdirSync(new URL('en/', FOLDER)).sort();

it('each language has the same files', () => {
  for (const language of readdirSync(FOLDER)) {
    expect(readdirSync(new URL(`${language}/`, FOLDER)).sort()).toEqual(files);
  }
});

describe.each(files)('%s in German', (file) => {
  const [english, german] = [textsIn('en', file), textsIn('de', file)];

  it('says all that English says, and nothing else', () => {
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort());
    expect([...german.values()].filter((text) => text.trim() === '')).toEqual([]);
  });

  it('has the same values in it', () => {
    for (const [name, text] of english) {
      expect(placeholdersOf(german.get(name) ?? '').names, name).toEqual(placeholdersOf(text).names);
    }
  });
});
