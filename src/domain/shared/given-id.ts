import { ApiError } from './errors.js';
import { isId } from './ids.js';

/**
 * Characters that a proxy may act on once it has decoded a path: `/` and `\` part it, `?` and `#` end it, `;` begins
 * parameters that some servers cut off, and `%` may be the beginning of any of these or of a dot.
 */
const ACTED_ON = /[/\\?#;%]/;

/**
 * An id that somebody brings along stands in paths from then on (`/management/v1/users/{id}`). It must come out of
 * every URL as it went in: not be a dot segment (RFC 3986 §5.2.4), nor change what is addressed where a proxy decodes
 * once, merges slashes or cuts something off. `auth0|abc`, `ada+x@acme.com`, `user:1` and UUIDs are as good as ever.
 *
 * @returns the rule that it breaks, as the rest of a sentence; undefined for a good one
 */
export function givenIdProblem(id: string): string | undefined {
  if (!isId(id)) return 'must be 1 to 200 printable ASCII characters without blanks';
  if (id === '.' || id === '..') return 'must not be . or .., which URLs leave out';
  if (ACTED_ON.test(id)) return 'must not have / \\ ? # ; or %, which have a meaning in URLs';
  return undefined;
}

/** @throws ApiError invalid-argument */
export function requireGivenId(name: string, id: string): void {
  const problem = givenIdProblem(id);
  if (problem !== undefined) throw new ApiError('invalid-argument', `${name} ${problem}`, 'ID-4tB8w');
}
