import { readImportRecord } from '../../domain/imports/records/import-record.js';
import { FieldError } from '../../domain/imports/records/record-errors.js';
import { PROFILE_FIELDS, Unconvertible, type ConvertedHuman, type Note } from './converted-human.js';
import { addMetadata } from './values.js';

/** Fields of a profile without which a user is still a user. */
const OPTIONAL = new Set(
  PROFILE_FIELDS.filter((field) => !['firstName', 'lastName', 'gender'].includes(field)),
);

/**
 * Holds a record against the rules of the import itself, so that what is written here is taken there. An optional field
 * that breaks one is kept as metadata: for a picture without an address nobody should lose the user.
 *
 * @param note undefined makes every field count
 * @throws Unconvertible, or ApiError with the rule that the record breaks
 */
export function requireImportable(human: ConvertedHuman, note: Note | undefined): void {
  for (;;) {
    try {
      readImportRecord(human, Date.now());
      break;
    } catch (error) {
      if (note === undefined || !(error instanceof FieldError) || !putAside(human, error.path, note))
        throw error;
    }
  }
  // U+FFFD stands where the bytes were no UTF-8
  if (JSON.stringify(human).includes('\uFFFD')) {
    throw new Unconvertible(
      'the record holds bytes that are not UTF-8: convert the file first (iconv -f LATIN1 -t UTF-8)',
    );
  }
}

function putAside(human: ConvertedHuman, path: string, note: Note): boolean {
  if (path === 'createdAt' && human.createdAt !== undefined) {
    delete human.createdAt;
    note('createdAt is not in the past: left out');
    return true;
  }
  const name = path.startsWith('profile.') ? path.slice('profile.'.length) : '';
  const profile: Record<string, unknown> = human.profile as object as Record<string, unknown>;
  if (!OPTIONAL.has(name) || profile[name] === undefined) return false;
  const lost = addMetadata(human, name, profile[name]) === 'taken';
  delete profile[name];
  note(
    lost
      ? `${path} is not what the import takes, left out: there is metadata "${name}" already`
      : `${path} is not what the import takes, kept as metadata "${name}"`,
  );
  return true;
}
