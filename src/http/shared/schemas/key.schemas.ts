import { z } from 'zod';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import { answerFrom, detailsOfCreation, detailsOfRecord } from '../answers.js';
import { expiringList } from '../expiring-list.js';
import { listSearchBody } from '../lists.js';
import { orderedListQuery } from '../pages/page-parameters.js';
import { idSchema } from './answer-schemas.js';
import { moment } from './moment.js';
import { wireEnum } from './wire-enum.js';

/** Body that gives an application or a service user a public key. */
export const newKeyBody = z
  .strictObject({
    type: wireEnum({ KEY_TYPE_UNSPECIFIED: undefined, KEY_TYPE_JSON: 'KEY_TYPE_JSON' }).default(
      'KEY_TYPE_JSON',
    ),
    expirationDate: moment().optional(),
    publicKey: z.unknown().optional(),
  })
  .meta({ examples: [{ type: 'KEY_TYPE_JSON', expirationDate: '2030-01-31T12:00:00Z' }] });

const SEARCHED = expiringList('KEY');
/** Query of `…/keys`, and the body of its `_search`. */
export const keyListQuery = orderedListQuery(SEARCHED);
export const keySearchBody = listSearchBody({ ...SEARCHED, isNamed: false });

interface Key {
  readonly id: string;
  readonly expiresAt: Date;
  readonly details: ResourceDetails;
}

interface AddedKey extends Key {
  readonly keyFile?: object | undefined;
}

/**
 * ZITADEL's v1 API calls a new key's id `id` for an application and `keyId` for a service user (protocol §8.6), as it does
 * in exports; either has both.
 */
const ids = { id: idSchema, keyId: idSchema.meta({ description: 'The same as `id`.' }) };

/** A public key as it is read. */
export const keyAnswer = answerFrom(
  z.object({
    ...ids,
    details: detailsOfRecord,
    type: z.literal('KEY_TYPE_JSON'),
    expirationDate: z.iso.datetime(),
  }),
  ({ id, expiresAt, details }: Key) => ({
    id,
    keyId: id,
    details,
    type: 'KEY_TYPE_JSON' as const,
    expirationDate: expiresAt.toISOString(),
  }),
);

/** Answer of what adds a key: with the key file in base64 when the pair was made here, which is shown this once. */
export const addedKeyAnswer = answerFrom(
  z.object({ ...ids, details: detailsOfCreation, keyDetails: z.base64().optional() }),
  ({ id, details, keyFile }: AddedKey) => ({
    id,
    keyId: id,
    details,
    keyDetails: keyFile && Buffer.from(JSON.stringify(keyFile)).toString('base64'),
  }),
);
