import { z } from 'zod';
import {
  MAPPED_FIELDS,
  NO_MAPPING,
  type ClaimMapping,
} from '../../../domain/identity-providers/claim-mapping.js';
import type { ProjectId } from '../../../domain/shared/ids.js';
import { line } from '../../../domain/shared/text-schemas.js';
import { idSchema } from './answer-schemas.js';
import { idField } from './id-field.js';

/** The name of a claim, or of an attribute. */
export const claim = line(200);

const mappedFields = z
  .strictObject(Object.fromEntries(MAPPED_FIELDS.map((field) => [field, claim.optional()])))
  .default({});
const MAPPING = {
  description: 'From which claim each thing comes; `a.b` is the member `b` of the claim `a`.',
};

/** Of the fields of an account alone. */
export const fieldMapping = z
  .strictObject({ fields: mappedFields })
  .transform((given): ClaimMapping => ({ ...NO_MAPPING, fields: given.fields as ClaimMapping['fields'] }))
  .meta(MAPPING);

export const claimMapping = z
  .strictObject({
    fields: mappedFields,
    roles: z
      .array(
        z.strictObject({
          claim,
          value: line(500),
          projectId: idField<ProjectId>(),
          roleKey: line(200),
        }),
      )
      .max(100, 'must have at most 100 entries')
      .default([]),
    metadata: z
      .array(z.strictObject({ claim, key: line(200) }))
      .max(50, 'must have at most 50 entries')
      .default([]),
  })
  .transform((given): ClaimMapping => given as ClaimMapping)
  .meta(MAPPING);

export const shownMappedFields = z.object({ fields: z.record(z.string(), z.string()) });
export const shownClaimMapping = shownMappedFields.extend({
  roles: z
    .array(z.object({ claim: z.string(), value: z.string(), projectId: idSchema, roleKey: z.string() }))
    .readonly(),
  metadata: z.array(z.object({ claim: z.string(), key: z.string() })).readonly(),
});

export function shownMapping({ roles, metadata, ...fields }: ClaimMapping) {
  return { ...shownFieldMapping(fields), roles, metadata };
}

export function shownFieldMapping({ fields }: Pick<ClaimMapping, 'fields'>) {
  return { fields: fields as Readonly<Record<string, string>> };
}
