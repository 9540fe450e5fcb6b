import { z } from 'zod';
import {
  BULK_ACTION_STATES,
  BULK_ACTIONS,
  MOST_CHOSEN,
  MOST_FAILURES,
  type BulkAction,
  type BulkActionKind,
  type ChosenUsers,
  type ListedBulkFailure,
} from '../../domain/bulk-actions/bulk-action.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { BulkActionId, UserId } from '../../domain/shared/ids.js';
import { answerFrom, detailsOfCreation, detailsOfRecord } from '../shared/answers.js';
import { listSearchBody } from '../shared/lists.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';
import { storable } from '../shared/schemas/api-fields.js';
import { searchedUsers } from './user-list.schemas.js';

const action = z.enum(BULK_ACTIONS, { error: `must be one of ${BULK_ACTIONS.join(', ')}` });

const userIds = z
  .array(storable(z.string().min(1).max(200)), { error: 'must be a list of ids' })
  .min(1, 'must not be empty')
  .max(MOST_CHOSEN, `must have at most ${MOST_CHOSEN} entries`);

/** Body of `users/_bulk`. */
export const bulkActionBody = z
  .strictObject({
    action,
    userIds: userIds.optional().meta({ description: 'Whom it is about; or `matching`.' }),
    matching: z
      .strictObject(searchedUsers)
      .optional()
      .meta({ description: 'Everybody whom `GET …/users` lists with these, as of now.' }),
    expected: z.int().min(1).max(MOST_CHOSEN).optional().meta({
      description: 'How many `matching` is to find: 412, and nothing is done, where it is not so many.',
    }),
  })
  .meta({
    anyOf: [{ required: ['userIds'] }, { required: ['matching'] }],
    examples: [{ action: 'lock', userIds: ['327465982374658001'] }],
  })
  .transform((given, context): { readonly action: BulkActionKind; readonly chosen: ChosenUsers } => {
    const { userIds: ids, matching, expected } = given;
    if (ids !== undefined && matching === undefined && expected === undefined)
      return { action: given.action, chosen: { userIds: ids as UserId[] } };
    if (ids === undefined && matching !== undefined)
      return { action: given.action, chosen: { search: readSearch(matching), expected } };
    const message =
      ids !== undefined && matching === undefined
        ? 'expected goes with matching'
        : 'either userIds or matching is required';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** Answer of what begins one. */
export const begunBulkActionAnswer = answerFrom(
  z.object({ id: idSchema, details: detailsOfCreation }),
  (begun: { readonly id: BulkActionId; readonly details: ResourceDetails }) => begun,
);

/** How far one is. */
export const bulkActionAnswer = answerFrom(
  z.object({
    id: idSchema,
    details: detailsOfRecord,
    action: z.enum(BULK_ACTIONS),
    state: z.enum(BULK_ACTION_STATES),
    counts: z.object({ total: z.int(), done: z.int(), failed: z.int() }),
    failures: z
      .array(z.object({ userId: idSchema, message: z.string() }))
      .meta({ description: `The first ${MOST_FAILURES}, with what the single call would have answered.` }),
  }),
  ({ id, details, action: kind, state, total, done, failed, failures }: BulkAction) => ({
    id,
    details,
    action: kind,
    state,
    counts: { total, done, failed },
    failures: failures.map(({ userId, reason }) => ({ userId, message: reason })),
  }),
);

/** Body of `users/_bulk/{bulkActionId}/failures/_search`: names of people stand in no address, which proxies log. */
export const bulkFailureSearchBody = listSearchBody({
  sortedBy: {
    BULK_FAILURE_FIELD_NAME_UNSPECIFIED: 'createdAt',
    BULK_FAILURE_FIELD_NAME_NAME: 'name',
    BULK_FAILURE_FIELD_NAME_CREATION_DATE: 'createdAt',
  },
});

/** One of those that it failed for. */
export const bulkFailureAnswer = answerFrom(
  z.object({
    userId: idSchema,
    name: z.string().meta({ description: 'That the user has now; empty where the user is gone.' }),
    message: z.string().meta({ description: 'What the single call would have answered.' }),
  }),
  ({ userId, name, reason }: ListedBulkFailure) => ({ userId, name, message: reason }),
);

function readSearch({ search, state, type }: z.output<z.ZodObject<typeof searchedUsers>>) {
  return { words: search, state, type };
}
