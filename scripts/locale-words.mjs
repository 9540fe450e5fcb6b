import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { IntlMessageFormat } from 'intl-messageformat';
import * as prettier from 'prettier';

// `npm run locales`: makes the type of the words from locales/en.json, so that a text which takes values can only be
// said with those values.

const FILE = new URL('../src/rendering/locale-words.ts', import.meta.url);
const ENGLISH = new URL('../locales/en.json', import.meta.url);

/**
 * What a text is made of, as far as it matters here.
 *
 * @typedef {{ type: number, value?: string, options?: Record<string, { value: Element[] }> }} Element
 */
/** The type of an element that is only words. */
const LITERAL = 0;

/**
 * The placeholders of a text in ICU MessageFormat, with the categories of plurals: `['minutes', …]`.
 *
 * @param {string} text
 */
export function placeholdersOf(text) {
  /** @type {Set<string>} */
  const names = new Set();
  /** @type {{ name: string, categories: string[] }[]} */
  const plurals = [];
  /** @param {Element[]} elements */
  const walk = (elements) => {
    for (const { type, value: name, options } of elements) {
      if (type === LITERAL || name === undefined) continue;
      names.add(name);
      if (options === undefined) continue;
      plurals.push({ name, categories: Object.keys(options) });
      for (const { value } of Object.values(options)) walk(value);
    }
  };
  walk(new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true }).getAst());
  return { names: [...names].sort(), plurals };
}

/** The TypeScript of it. */
export async function localeWords() {
  const english = JSON.parse(readFileSync(ENGLISH, 'utf8'));
  const source = `// Made from locales/en.json by \`npm run locales\`; edit that.
import type { Message } from './message.js';

export interface Words ${typeOf(english)}
`;
  const options = await prettier.resolveConfig(FILE);
  return prettier.format(source, { ...options, parser: 'typescript' });
}

/**
 * @param {unknown} node
 * @returns {string}
 */
function typeOf(node) {
  if (Array.isArray(node)) return `readonly ${messageOf(node)}[]`;
  if (typeof node === 'object' && node !== null) {
    const members = Object.entries(node).map(([key, value]) => `readonly '${key}': ${typeOf(value)};`);
    return `{ ${members.join('\n')} }`;
  }
  return typeof node === 'string' && node.includes('{') ? messageOf([node]) : typeof node;
}

/** @param {string[]} texts */
function messageOf(texts) {
  const names = new Set(texts.flatMap((text) => placeholdersOf(text).names));
  return `Message<${[...names].map((name) => `'${name}'`).join(' | ') || 'never'}>`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(FILE, await localeWords());
}
