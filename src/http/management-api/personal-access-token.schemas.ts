import { z } from 'zod';
import type { PersonalAccessToken } from '../../domain/service-users/service-users.store.js';
import { NEVER } from '../../domain/shared/expiry.js';
import { answerFrom, detailsOfRecord } from '../shared/answers.js';
import { expiringList } from '../shared/expiring-list.js';
import { orderedListQuery } from '../shared/pages/page-parameters.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';
import { moment } from '../shared/schemas/moment.js';

/** Body of `pats` POST. */
export const newTokenBody = z
  .strictObject({ expirationDate: moment().optional() })
  .meta({ examples: [{ expirationDate: '2030-01-31T12:00:00Z' }] })
  .prefault({});

/** Query of `pats` GET. */
export const tokenListQuery = orderedListQuery(expiringList('PERSONAL_ACCESS_TOKEN'));

/** A token as it is read: never itself. */
export const tokenAnswer = answerFrom(
  z.object({ id: idSchema, details: detailsOfRecord, expirationDate: z.iso.datetime() }),
  ({ id, details, expiresAt }: PersonalAccessToken) => ({
    id,
    details,
    expirationDate: (expiresAt ?? NEVER).toISOString(),
  }),
);
