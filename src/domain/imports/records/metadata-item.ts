import { ApiError } from '../../shared/errors.js';
import { isId } from '../../shared/ids.js';
import { DuplicateMember, parseJson } from '../../shared/unique-members.js';
import { isLongerThan, isPlainText } from '../../users/names/text-rules.js';
import { LONGEST_METADATA } from '../../users/users.store.js';
import type { DataOrgsPart } from '../formats/data-orgs-scanner.js';
import type { KeptRecord } from '../formats/data-orgs.js';
import { itemJson, type MetadataItem } from './organization-items.js';
import { PASSES } from './passes.js';
import { fieldReader } from './read-fields.js';
import { FieldError } from './record-errors.js';

const NAMES = new Set(['userMetadata', 'user_metadata']);

const readFields = fieldReader({ id: 'text', key: 'text', value: 'text' });

/** One of `userMetadata[{id, key, value}]` (protocol §2.1). @throws ApiError invalid-argument */
function readMetadataItem(value: unknown): MetadataItem {
  const { id: userId = '', key: given = '', value: encoded = '' } = readFields(value);
  if (!isId(userId)) throw new FieldError('id', 'id is not an id');
  const key = given.trim();
  if (key === '' || isLongerThan(LONGEST_METADATA.key, key) || !isPlainText(key)) {
    throw new FieldError('key', `key must have 1 to ${LONGEST_METADATA.key} characters without controls`);
  }
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length === 0 || bytes.length > LONGEST_METADATA.bytes || bytes.toString('base64') !== encoded) {
    throw new FieldError('value', `value must be base64 of 1 to ${LONGEST_METADATA.bytes} bytes`);
  }
  return { type: 'user_metadata', userId, key, value: encoded };
}

/** Of a file of users, what their organization is not needed for: metadata. Anything else has no place there. */
export function keepMetadata(part: DataOrgsPart): readonly KeptRecord[] | undefined {
  if (part.kind === 'org' || part.kind === 'org-end') return [];
  if (part.kind !== 'item' || !NAMES.has(part.name)) return undefined;
  return [metadataRecord(part)];
}

export function metadataRecord({ json, path, fault }: DataOrgsPart & { readonly kind: 'item' }): KeptRecord {
  const pass = PASSES.metadata;
  const type = 'user_metadata';
  if (json === undefined) {
    return { pass, fault: { code: 'malformed', message: 'the item cannot be read', ...fault, path, type } };
  }
  try {
    return { pass, json: itemJson(readMetadataItem(parseJson(json))) };
  } catch (error) {
    const message = error instanceof ApiError ? error.message : notJson(error);
    return { pass, fault: { code: 'invalid', path, message, type } };
  }
}

function notJson(error: unknown): string {
  return error instanceof DuplicateMember ? `field ${error.message}` : 'the item is not valid JSON';
}
