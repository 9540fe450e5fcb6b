import { z } from 'zod';
import type { ScimToken } from '../../domain/scim/scim-tokens.store.js';
import { NEVER } from '../../domain/shared/expiry.js';
import type { ProjectId } from '../../domain/shared/ids.js';
import { name } from '../../domain/shared/text-schemas.js';
import { answerFrom, detailsOfRecord, shown } from '../shared/answers.js';
import { expiringList } from '../shared/expiring-list.js';
import { orderedListQuery } from '../shared/pages/page-parameters.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';
import { optionalIdField } from '../shared/schemas/id-field.js';
import { moment } from '../shared/schemas/moment.js';

/** Body of `scim_tokens` POST. */
export const newScimTokenBody = z
  .strictObject({
    name: name(),
    projectId: optionalIdField<ProjectId>().meta({
      description: 'Roles of this project are the groups of the directory; without one it has no groups.',
    }),
    trustsEmails: z
      .boolean()
      .default(false)
      .meta({ description: 'Addresses from the directory count as verified, and no code is sent there.' }),
    expirationDate: moment().optional(),
  })
  .meta({ examples: [{ name: 'Entra ID', trustsEmails: true, expirationDate: '2030-01-31T12:00:00Z' }] })
  .transform(({ projectId, expirationDate, ...settings }) => ({
    ...settings,
    projectId: projectId ?? null,
    expiresAt: expirationDate ?? null,
  }));

/** Query of `scim_tokens`. */
export const scimTokenListQuery = orderedListQuery(expiringList('SCIM_TOKEN', { isNamed: true }));

/** A token as it is read: never itself. */
export const scimTokenAnswer = answerFrom(
  z.object({
    id: idSchema,
    details: detailsOfRecord,
    name: z.string(),
    projectId: idSchema.optional(),
    ...shown({ trustsEmails: z.boolean() }),
    expirationDate: z.iso.datetime(),
    lastUsed: z.iso.datetime().optional().meta({ description: 'To the minute.' }),
  }),
  ({ id, details, name: called, projectId, trustsEmails, expiresAt, lastUsedAt }: ScimToken) => ({
    id,
    details,
    name: called,
    projectId: projectId ?? undefined,
    trustsEmails,
    expirationDate: (expiresAt ?? NEVER).toISOString(),
    lastUsed: lastUsedAt?.toISOString(),
  }),
);
