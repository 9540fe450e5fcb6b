import { ApiError } from '../shared/errors.js';

const DEEPEST = 64;

/**
 * A JSON value as text in which neither white space nor the order of members shows, so that a client that builds
 * its request again is recognized as repeating itself.
 *
 * @throws ApiError invalid-argument for a value nested deeper than any body of ours, before the stack is at risk
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > DEEPEST) throw new ApiError('invalid-argument', 'the body is nested too deeply');
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, depth + 1)}`);
  return `{${members.join(',')}}`;
}
