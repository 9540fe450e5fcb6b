/**
 * The address by which requests name a project (RFC 8707 §2): an absolute URI without a fragment. The console imports this
 * file, so it needs nothing that a browser lacks.
 */
const RESOURCE_URI_MAX_LENGTH = 500;

/** Why text cannot be one, or undefined when it can. */
export function resourceUriProblem(text: string): string | undefined {
  if (text.length > RESOURCE_URI_MAX_LENGTH) return `is longer than ${RESOURCE_URI_MAX_LENGTH} characters`;
  // what a URI cannot have (RFC 3986 §2)
  if (!/^[!-~]+$/.test(text) || /["<>\\^`{|}]/.test(text)) return 'has characters that a URI cannot have';
  if (!/^[a-z][a-z0-9+.-]*:./i.test(text) || !URL.canParse(text)) return 'is not an absolute URI';
  if (text.includes('#')) return 'must not have a fragment';
  const { username, password } = new URL(text);
  return username === '' && password === '' ? undefined : 'must not contain credentials';
}

/** How it is kept and compared: as it is, but that an origin is the same with a slash behind it and without. */
export function resourceKey(uri: string): string {
  return /^https?:\/\/[^/?]+\/$/i.test(uri) ? uri.slice(0, -1) : uri;
}
