import { z } from 'zod';
import type { UserId } from '../../domain/shared/ids.js';
import { MOST_COUNTED } from '../../domain/shared/page.js';
import type { UserList, UserListQuery } from '../../domain/users/user-list.js';
import { idSchema } from '../shared/answer-schemas.js';
import { answerFrom, shown } from '../shared/answers.js';
import { isStorable } from '../shared/api-fields.js';
import { userAnswer } from '../shared/user.schemas.js';
import { userStateField, userTypeField } from './user-search.schemas.js';

const MOST_WORDS = 6;
const MOST_ENTRIES = 200;

/** A phone number is one word, however it is set in groups. */
function wordsOf(search: string): readonly string[] {
  const digits = search.replaceAll(/\D/g, '');
  if (/^[\s\d()+./-]+$/.test(search) && digits.length >= 3 && /\s/.test(search.trim())) {
    return [search.replaceAll(/\s/g, '')];
  }
  return search.split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
}

/** Whom people look for: the fields of `GET …/users`, and of what is done to all of them. */
export const searchedUsers = {
  search: z
    .string()
    .max(200, 'is too long')
    .refine(isStorable, 'must not contain control characters')
    .default('')
    .meta({
      description:
        'Words, each of which must be in a name, an e-mail address, a phone number or a login name, or be an id. Of words ' +
        'with fewer than three letters in a row, beginnings are looked for.',
    })
    .transform(wordsOf),
  state: userStateField.optional(),
  type: userTypeField.optional(),
};

/** Query of `GET …/users`. */
export const userListQuery = z
  .strictObject({
    ...searchedUsers,
    cursor: z
      .string()
      .regex(/^[!-~]{1,200}$/, 'is not one that an answer gave')
      .optional()
      .meta({ description: '`nextCursor` of the page before.' }),
    limit: z
      .string()
      .regex(/^[0-9]{1,4}$/, `must be a whole number from 1 to ${MOST_ENTRIES}`)
      .transform(Number)
      .refine(
        (value) => value >= 1 && value <= MOST_ENTRIES,
        `must be a whole number from 1 to ${MOST_ENTRIES}`,
      )
      .default(50),
  })
  .transform(({ search, state, type, cursor, limit }): UserListQuery => ({
    words: search,
    state,
    type,
    after: cursor as UserId | undefined,
    limit,
  }));

/** Answer of `GET …/users`. */
export const userListAnswer = answerFrom(
  z.object({
    result: z.array(userAnswer).readonly(),
    nextCursor: idSchema.optional(),
    total: z.int().meta({ description: `How many there are; counting stops at ${MOST_COUNTED}.` }),
    ...shown({ hasMoreThanTotal: z.boolean() }),
  }),
  ({ users, next, counted }: UserList) => ({
    result: users,
    nextCursor: next,
    total: Math.min(counted, MOST_COUNTED),
    hasMoreThanTotal: counted > MOST_COUNTED,
  }),
);
