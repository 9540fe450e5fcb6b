import { ApiError } from '../shared/errors.js';
import { canonicalName, LONGEST_CANONICAL_BYTES } from '../users/names/canonical-name.js';
import { requireName } from '../users/names/text-rules.js';

/** What we make ids of: projects and clients are named by digits alone. */
const LIKE_AN_ID = /^[0-9]+$/;

/**
 * The name is the `client_id` of the user's tokens, and their audience where they ask for none (protocol §7.2). A name
 * that could be a client's or a project's id would let its tokens pass for that client's. So it is whenever the user
 * is named: made, renamed, or shortened by a new primary domain (storage, `makePrimary`).
 *
 * @throws ApiError invalid-argument
 */
export function requireServiceUserName(userName: string): void {
  requireName('userName', userName);
  const canonical = canonicalName(userName);
  if (canonical === '') throw new ApiError('invalid-argument', 'userName is required');
  if (Buffer.byteLength(canonical) > LONGEST_CANONICAL_BYTES) {
    const text = 'userName is too long when its compatibility forms are written out';
    throw new ApiError('invalid-argument', text);
  }
  if (LIKE_AN_ID.test(canonical)) {
    throw new ApiError('invalid-argument', 'userName must not consist of digits alone');
  }
}
