import { z } from 'zod';
import type { InitialAccessToken } from '../../domain/client-registration/initial-access/initial-access-tokens.store.js';
import { NEVER } from '../../domain/shared/expiry.js';
import type { ProjectId } from '../../domain/shared/ids.js';
import { name } from '../../domain/shared/text-schemas.js';
import { answerFrom, detailsOfRecord } from '../shared/answers.js';
import { expiringList } from '../shared/expiring-list.js';
import { orderedListQuery } from '../shared/pages/page-parameters.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';
import { idField } from '../shared/schemas/id-field.js';
import { moment } from '../shared/schemas/moment.js';

/** Body of `initial_access_tokens` POST. */
export const newInitialAccessTokenBody = z
  .strictObject({
    name: name(),
    projectId: idField<ProjectId>().meta({
      description: 'Has the applications that register with the token.',
    }),
    mostUses: z
      .int()
      .min(1)
      .max(100_000)
      .default(1)
      .meta({ description: 'How many applications can register with it.' }),
    expirationDate: moment().optional(),
  })
  .meta({
    examples: [
      {
        name: 'Preview deployments',
        projectId: '310716990375453665',
        mostUses: 50,
        expirationDate: '2030-01-31T12:00:00Z',
      },
    ],
  })
  .transform(({ expirationDate, ...settings }) => ({ ...settings, expiresAt: expirationDate ?? null }));

/** Query of `initial_access_tokens`. */
export const initialAccessTokenListQuery = orderedListQuery(
  expiringList('INITIAL_ACCESS_TOKEN', { isNamed: true }),
);

/** A token as it is read: never itself. */
export const initialAccessTokenAnswer = answerFrom(
  z.object({
    id: idSchema,
    details: detailsOfRecord,
    name: z.string(),
    projectId: idSchema,
    mostUses: z.int(),
    uses: z.int().meta({ description: 'How many applications have registered with it.' }),
    expirationDate: z.iso.datetime(),
  }),
  ({ id, details, name: called, projectId, mostUses, uses, expiresAt }: InitialAccessToken) => ({
    id,
    details,
    name: called,
    projectId,
    mostUses,
    uses,
    expirationDate: (expiresAt ?? NEVER).toISOString(),
  }),
);
