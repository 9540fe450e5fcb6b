import { wireEnum } from './wire-enum.js';

/**
 * What a list is put in order by, as the field calls it (`USER_FIELD_NAME_EMAIL`); when its rows were made, unless it is said.
 *
 * @param columns the orders by their names on the wire, in the order of their numbers; undefined marks those that there are not
 */
export function sortingColumn<const Columns extends Readonly<Record<string, string | undefined>>>(
  columns: Columns,
) {
  return wireEnum(columns)
    .optional()
    .meta({ description: 'What the list is put in order by, and `asc` says in which direction.' });
}
