import { ApiError } from '../shared/errors.js';
import { isLongerThan, isPlainText } from '../users/names/text-rules.js';

const LONGEST = 200;

/** RFC 7643 §3.1: what the directory calls it; unique in an organization, and compared as it is. @throws ApiError invalid-argument */
export function readExternalId(given: string | undefined): string | null {
  if (given === undefined || given === '') return null;
  if (!isLongerThan(LONGEST, given) && isPlainText(given)) return given;
  throw new ApiError('invalid-argument', `externalId must be plain text of at most ${LONGEST} characters`);
}

export function externalIdTaken(): ApiError {
  return new ApiError('already-exists', 'externalId is that of another resource', 'SCIM-x4Te7');
}
