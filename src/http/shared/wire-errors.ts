import type { z } from 'zod';
import { readableKey } from '../../domain/imports/records/read-fields.js';

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'must be a string',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  number: 'must be a number',
  int: 'must be a whole number',
};

/** What is wrong with a field, as the rest of a sentence that begins with its name; schemas may say it better. */
export function wireErrors(issue: z.core.$ZodRawIssue): string | undefined {
  const path = issue.path ?? [];
  if (issue.code === 'invalid_type') {
    if (path.length === 0) return 'the record must be a JSON object';
    return issue.input === undefined ? 'is required' : EXPECTED[issue.expected];
  }
  if (issue.code === 'unrecognized_keys') return `has an unknown field "${readableKey(issue.keys[0] ?? '')}"`;
  const tooLong = issue.code === 'too_big' && issue.origin === 'array';
  return tooLong ? `must have at most ${issue.maximum} entries` : undefined;
}

/** `redirectUris[3]`, `query.limit` */
export function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      return index === 0 ? String(step) : `.${String(step)}`;
    })
    .join('');
}
