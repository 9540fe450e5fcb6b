import { parseJson as parse } from '../../shared/unique-members.js';
import { HashRejected } from '../schemes/password-scheme.js';

/** Readers for hashes that are exported as a JSON object; a field that is not known is refused, not ignored. */
export type JsonFields = Readonly<Record<string, unknown>>;

export function isJsonObject(encoded: string): boolean {
  return /^\{\s*"/.test(encoded);
}

export function parseJson(text: string, path: string, known: readonly string[]): JsonFields {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    // The parser's own message quotes the text.
    throw new HashRejected('bad-json', `${path} must be JSON, with no member twice`);
  }
  return fieldsOf(value, path, known);
}

export function fieldsOf(value: unknown, path: string, known: readonly string[]): JsonFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HashRejected('bad-json', `${path} must be a JSON object`);
  }
  if (!Object.keys(value).every((name) => known.includes(name))) {
    throw new HashRejected('bad-field', `${path} may have ${known.join(', ')} and nothing else`);
  }
  return value as JsonFields;
}

export function textField(fields: JsonFields, name: string, path: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new HashRejected('bad-field', `${path}.${name} must be a text`);
  return value;
}

/** One of a few words; `otherwise` stands in for a field that is not there. */
export function wordField<T extends string>(
  fields: JsonFields,
  name: string,
  path: string,
  words: readonly T[],
  otherwise?: NoInfer<T>,
): T {
  const value = fields[name] ?? otherwise;
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) {
    throw new HashRejected('bad-field', `${path}.${name} must be one of ${words.join(', ')}`);
  }
  return word;
}

/** A whole number from 1; `otherwise` stands in for a field that is not there. */
export function countField(fields: JsonFields, name: string, path: string, otherwise?: number): number {
  const value = fields[name] ?? otherwise;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw new HashRejected('bad-cost', `${path}.${name} must be a whole number from 1`);
  }
  return value;
}
