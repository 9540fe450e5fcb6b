import { z } from 'zod';
import type { ResourceDetails } from '../../domain/shared/details.js';
import { createdDetailsSchema, idSchema, readDetailsSchema } from '../shared/answer-schemas.js';
import { createdDetails, readDetails, type DetailsResponse } from '../shared/details-response.js';

/**
 * Public keys of applications and of service users, in the same words. ZITADEL's v1 API calls a new key's id `id` for the
 * one and `keyId` for the other (protocol §8.6), as it does in exports; either has both.
 */
export interface KeyResponse {
  readonly id: string;
  readonly keyId: string;
  readonly details: DetailsResponse;
  readonly type: 'KEY_TYPE_JSON';
  readonly expirationDate: string;
}

export interface AddedKeyResponse {
  readonly id: string;
  readonly keyId: string;
  readonly details: DetailsResponse;
  /** The key file in base64, when the pair was made here: shown this once. */
  readonly keyDetails?: string;
}

export const keySchema = z.strictObject({
  id: idSchema,
  keyId: idSchema.meta({ description: 'The same as `id`.' }),
  details: readDetailsSchema,
  type: z.literal('KEY_TYPE_JSON'),
  expirationDate: z.iso.datetime(),
});

export const addedKeySchema = z.strictObject({
  id: idSchema,
  keyId: idSchema.meta({ description: 'The same as `id`.' }),
  details: createdDetailsSchema,
  keyDetails: z.base64().optional(),
});

export function keyResponse({
  id,
  expiresAt,
  details,
}: {
  readonly id: string;
  readonly expiresAt: Date;
  readonly details: ResourceDetails;
}): KeyResponse {
  return {
    id,
    keyId: id,
    details: readDetails(details),
    type: 'KEY_TYPE_JSON',
    expirationDate: expiresAt.toISOString(),
  };
}

export function addedKeyResponse({
  id,
  details,
  keyFile,
}: {
  readonly id: string;
  readonly details: ResourceDetails;
  readonly keyFile?: object | undefined;
}): AddedKeyResponse {
  return {
    id,
    keyId: id,
    details: createdDetails(details),
    ...(keyFile && { keyDetails: Buffer.from(JSON.stringify(keyFile)).toString('base64') }),
  };
}
