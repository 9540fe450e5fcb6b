import { readHumanRecord, type HumanRecord } from '../imports/records/human-record.js';
import { ApiError } from '../shared/errors.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { OldSystemFailed, type OldCredentials } from './old-system.js';
import type { ActiveMigration } from './user-migration.js';

/** The password is the typed one; and a passkey link is returned to the caller of an import, which does not exist here. */
const NOT_TAKEN = ['password', 'hashedPassword', 'hashed_password', 'requestPasswordlessRegistration'];

/**
 * What an old system answers is the body of `_import`, held to the same rules, with the typed password in place of one of its
 * own. It must be about the name that was asked for, by its user name or its verified address: one that signs in by another
 * name would be asked for again and again, and a mistake there must not let anybody in as somebody else.
 *
 * @throws OldSystemFailed with the rule, never with what was sent
 */
export function readAnswer(
  answer: unknown,
  { loginName, password }: OldCredentials,
  { primaryDomain }: ActiveMigration,
): HumanRecord {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new OldSystemFailed('the answer is no JSON object');
  }
  const field = NOT_TAKEN.find((name) => Object.hasOwn(answer, name));
  if (field !== undefined) throw new OldSystemFailed(`the answer must not have ${field}`);
  const human = read({ ...answer, password });
  const userName = canonicalName(human.userName);
  const names = [userName];
  if (human.email.verified) names.push(canonicalName(human.email.address));
  if (primaryDomain !== null) names.push(`${userName}@${primaryDomain}`);
  if (!names.includes(loginName)) throw new OldSystemFailed('the answer is about another name');
  return human;
}

function read(answer: object): HumanRecord {
  try {
    const human = readHumanRecord(answer);
    // the old system confirms the typed password, and no identity at a provider
    if (human.identities !== undefined) throw new OldSystemFailed('the answer must not have idps');
    return human;
  } catch (error) {
    if (error instanceof ApiError) throw new OldSystemFailed(`the answer is refused: ${error.text}`);
    throw error;
  }
}
