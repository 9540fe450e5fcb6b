import { OAuthError } from '../../shared/errors.js';

/** RFC 6749 §5.2: ASCII without quotes and backslashes. */
export function printable(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^ -~]/g, '?');
}

/** What is registered cannot be taken (RFC 7591 §3.2.2). */
export function unfit(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description);
}
