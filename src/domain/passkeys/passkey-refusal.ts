import { ApiError } from '../shared/errors.js';
import { isTooManyOwned } from '../shared/most-owned.js';

/** Why a passkey was not stored, as a page shows it. */
export type PasskeyRefusal =
  /** Not good, too late, answered before, or somebody's already: one text for all of them. */
  'passkey-refused' | 'too-many-passkeys';

const NOT_GOOD = 'COMMAND-Pk4b8';
const TAKEN = 'COMMAND-Pk3d9';

export function passkeyNotGood(): ApiError {
  return new ApiError('invalid-argument', 'The passkey was not accepted: start again', NOT_GOOD);
}

/** A credential is of one user in the whole instance. */
export function passkeyTaken(): ApiError {
  return new ApiError('already-exists', 'Passkey already exists', TAKEN);
}

/** Undefined for an error that is about something else. */
export function passkeyRefusalOf(error: unknown): PasskeyRefusal | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (isTooManyOwned(error)) return 'too-many-passkeys';
  return error.id === NOT_GOOD || error.id === TAKEN ? 'passkey-refused' : undefined;
}
