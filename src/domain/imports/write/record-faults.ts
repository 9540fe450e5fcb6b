import { MOST_OWNED } from '../../shared/most-owned.js';
import type { RecordFault } from './record-outcome.js';

// What is said of a record that is not written.

export const REPEATED_PASSKEY: RecordFault = {
  code: 'duplicate',
  path: 'passkeys',
  message: 'another record of the file has the same passkey',
};
export const PASSKEY_EXISTS: RecordFault = {
  code: 'already_exists',
  path: 'passkeys',
  message: 'Passkey already exists, of another user (COMMAND-Pk3d9)',
};
export const REPEATED_IDENTITY: RecordFault = {
  code: 'duplicate',
  path: 'idps',
  message: 'another record of the file has the same identity',
};
export const IDENTITY_EXISTS: RecordFault = {
  code: 'already_exists',
  path: 'idps',
  message: 'Identity belongs to a user already (IDP-Sb4tk)',
};
export const NO_SAY: RecordFault = {
  code: 'refused',
  path: 'idps',
  message: 'The provider cannot sign this user in (IDP-Ns5ay)',
};
export const OWNER_OF_INSTANCE: RecordFault = {
  code: 'forbidden',
  path: 'state',
  message: 'an import shuts out no owner of the instance: lock or deactivate them by a call',
};
export const TOO_MANY_PASSKEYS: RecordFault = {
  code: 'refused',
  path: 'passkeys',
  message: `${MOST_OWNED.passkeys.text} (LIMITS-6Mo2w)`,
};
export const REPEATED: RecordFault = {
  code: 'duplicate',
  message: 'another record of the file names the same user',
};
export const ALREADY_EXISTS: RecordFault = {
  code: 'already_exists',
  message: 'User already exists (V3-DKcYh)',
};
export const ID_OF_SOMETHING_ELSE: RecordFault = {
  code: 'already_exists',
  path: 'userId',
  message: 'userId stands for something else already (V3-DKcYh)',
};
export const REFUSED: RecordFault = { code: 'refused', message: 'the database refuses the record' };
export const TOO_MUCH_METADATA: RecordFault = {
  code: 'refused',
  path: 'metadata',
  message: 'the user would have more metadata than a user can have (META-4kQ8d)',
};
export const VANISHED: RecordFault = {
  code: 'refused',
  message: 'the user was changed meanwhile; try again',
};
