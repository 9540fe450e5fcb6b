import { z } from 'zod';
import { LONGEST_SUBJECT } from '../../identity-providers/provider-client.js';
import type { IdentityProviderId } from '../../shared/ids.js';
import { hasControls } from '../../shared/text-schemas.js';
import { isLongerThan } from '../../users/names/text-rules.js';
import { fieldReader, shapeOf } from './read-fields.js';
import { FieldError, within } from './record-errors.js';

/** Who a user is at an identity provider that is here already (protocol §1.1). */
export interface ImportedIdentity {
  readonly providerId: IdentityProviderId;
  /** By which the provider knows them for good. */
  readonly subject: string;
  /** What the provider calls them; may be empty. */
  readonly displayName: string;
}

const LONGEST_ID = 200;
const LONGEST_NAME = 200;
const MOST_IDENTITIES = 20;

const importedIdentitySchema = z.strictObject({
  configId: z.string().min(1).max(LONGEST_ID).meta({
    description: 'Id of a provider of the organization, or of the instance for who may change those.',
  }),
  externalUserId: z.string().min(1).max(LONGEST_SUBJECT).meta({
    description: 'By which the provider knows the user: whoever it calls so signs in as them.',
  }),
  displayName: z.string().max(LONGEST_NAME).optional(),
});

export const importedIdentitiesSchema = z.array(importedIdentitySchema).max(MOST_IDENTITIES);

const readFields = fieldReader(shapeOf(importedIdentitySchema));

/** @throws FieldError, also for an identity that is there twice */
export function readIdentities(given: unknown): readonly ImportedIdentity[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw new FieldError('idps', 'idps must be a list');
  if (given.length > MOST_IDENTITIES) {
    throw new FieldError('idps', `idps must have at most ${MOST_IDENTITIES} entries`);
  }
  const seen = new Set<string>();
  return given.map((one: unknown, index) => {
    const place = `idps[${index}]`;
    const identity = within(place, () => readIdentity(one));
    const key = identityKey(identity);
    if (seen.has(key)) throw doubledIdentity(index);
    seen.add(key);
    return identity;
  });
}

export function doubledIdentity(index: number): FieldError {
  return new FieldError(`idps[${index}].externalUserId`, 'the record has the identity twice');
}

/** What an identity goes by where imports look for it. */
export function identityKey({
  providerId,
  subject,
}: Pick<ImportedIdentity, 'providerId' | 'subject'>): string {
  return `${providerId}\u0001${subject}`;
}

function readIdentity(given: unknown): ImportedIdentity {
  const { configId, externalUserId, displayName = '' } = readFields(given);
  return {
    providerId: text('configId', configId, 1, LONGEST_ID) as IdentityProviderId,
    subject: text('externalUserId', externalUserId, 1, LONGEST_SUBJECT),
    displayName: text('displayName', displayName, 0, LONGEST_NAME),
  };
}

function text(field: string, value: string | undefined, least: 0 | 1, most: number): string {
  if (value !== undefined && value.length >= least && !isLongerThan(most, value) && !hasControls(value)) {
    return value;
  }
  throw new FieldError(field, `${field} must have ${least} to ${most} characters without controls`);
}
