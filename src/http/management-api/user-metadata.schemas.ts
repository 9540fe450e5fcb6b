import { z } from 'zod';
import { LONGEST_METADATA, type UserMetadata } from '../../domain/users/users.store.js';
import { answerFrom, detailsOfRecord } from '../shared/answers.js';
import { cursorPageField } from '../shared/lists.js';
import { storable } from '../shared/schemas/api-fields.js';

/** For whoever reads the document; `keyOf` looks at what comes. */
export const metadataKey = z.string().meta({ examples: ['department'] });

/** Body of `metadata/{key}`; the value is bytes as standard base64 (protocol §0.1). */
export const metadataValueBody = z
  .strictObject({
    value: z.string().transform((text, context) => {
      const value = Buffer.from(text, 'base64');
      if (text !== '' && value.toString('base64') === text && value.length <= LONGEST_METADATA.bytes)
        return value;
      context.addIssue({ code: 'custom', message: `must be base64 of 1 to ${LONGEST_METADATA.bytes} bytes` });
      return z.NEVER;
    }),
  })
  .meta({ examples: [{ value: 'ZW5naW5lZXJpbmc=' }] });

/** Body of `metadata/_search`. */
export const metadataSearchBody = z
  .strictObject({
    query: cursorPageField,
    /** Keys that begin so. */
    keyStartsWith: storable(z.string().max(LONGEST_METADATA.key, 'is too long')).default(''),
  })
  .meta({ examples: [{ query: { offset: '0', limit: 20, asc: true }, keyStartsWith: 'depart' }] })
  .prefault({});

/** One key of a user, and what stands under it. */
export const metadataAnswer = answerFrom(
  z.object({ key: z.string(), value: z.base64(), details: detailsOfRecord }),
  ({ key, value, details }: UserMetadata) => ({ key, value: value.toString('base64'), details }),
);
