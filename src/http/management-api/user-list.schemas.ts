import { z } from 'zod';
import { MOST_COUNTED } from '../../domain/shared/page.js';
import type { UserList, UserListQuery, UserOrder } from '../../domain/users/user-list.js';
import { answerFrom, shown } from '../shared/answers.js';
import { cursorField, cursorOf, nameOfList, nextCursorField, writeCursor } from '../shared/cursors.js';
import { flagText } from '../shared/pages/page-parameters.js';
import { storable } from '../shared/schemas/api-fields.js';
import { sortingColumn } from '../shared/schemas/sorting-column.js';
import { userAnswer } from '../shared/schemas/user.schemas.js';
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
  search: storable(z.string().max(200, 'is too long'))
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

/** The numbers are those of ZITADEL's `UserFieldName`. */
const userOrderField = sortingColumn({
  USER_FIELD_NAME_UNSPECIFIED: 'createdAt',
  USER_FIELD_NAME_USER_NAME: 'userName',
  USER_FIELD_NAME_FIRST_NAME: 'firstName',
  USER_FIELD_NAME_LAST_NAME: 'lastName',
  USER_FIELD_NAME_NICK_NAME: undefined,
  USER_FIELD_NAME_DISPLAY_NAME: 'displayName',
  USER_FIELD_NAME_EMAIL: 'email',
  USER_FIELD_NAME_STATE: undefined,
  USER_FIELD_NAME_TYPE: undefined,
  USER_FIELD_NAME_CREATION_DATE: 'createdAt',
});

/** What people alone have cannot put others in order, and a name that is shown is kept with those of one kind. */
function isOrdered({ sortingColumn: by = 'createdAt', type }: UserOrders): boolean {
  if (by === 'createdAt' || by === 'userName') return true;
  return by === 'displayName' ? type !== undefined : type === 'human';
}

interface UserOrders {
  readonly sortingColumn?: UserOrder | undefined;
  readonly type?: UserListQuery['type'];
}

/** Query of `GET …/users`. */
export const userListQuery = z
  .strictObject({
    ...searchedUsers,
    sortingColumn: userOrderField.meta({
      description:
        'What the list is put in order by, whatever the case of letters. `USER_FIELD_NAME_DISPLAY_NAME` needs a `type`; an ' +
        'e-mail address, a first and a last name need `TYPE_HUMAN`.',
    }),
    asc: flagText(),
    cursor: cursorField,
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
  .refine(isOrdered, {
    path: ['sortingColumn'],
    error:
      'orders users of one type alone: USER_FIELD_NAME_DISPLAY_NAME needs a type, others need TYPE_HUMAN',
  })
  .transform(
    ({ search: words, state, type, sortingColumn: by, asc: ascending, cursor, limit }): UserListQuery => {
      const list = nameOfList({ by, ascending }, words, state, type);
      const after = cursor === undefined ? undefined : cursorOf(cursor, list);
      return { words, state, type, by, ascending, list, after, limit };
    },
  );

/** Answer of `GET …/users`. */
export const userListAnswer = answerFrom(
  z.object({
    result: z.array(userAnswer).readonly(),
    nextCursor: nextCursorField,
    total: z.int().meta({ description: `How many there are; counting stops at ${MOST_COUNTED}.` }),
    ...shown({ hasMoreThanTotal: z.boolean() }),
  }),
  ({ users, next, counted }: UserList) => ({
    result: users,
    nextCursor: next && writeCursor(next),
    total: Math.min(counted, MOST_COUNTED),
    hasMoreThanTotal: counted > MOST_COUNTED,
  }),
);
