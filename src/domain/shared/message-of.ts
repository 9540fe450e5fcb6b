/**
 * What an error says. That of Node for a host of several addresses, none of which answers, says nothing itself: what came of
 * each stands in its `errors`.
 */
export function messageOf(
  error: unknown,
  of: (inner: unknown) => string = (inner) => messageOf(inner),
): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.message !== '') return error.message;
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map((inner) => of(inner)).join(', ');
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
