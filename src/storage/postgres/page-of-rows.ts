// SQL by hand: the count of a list up to a maximum, with the time and the newest event
import { MOST_COUNTED, type Cursor, type Page, type PageQuery } from '../../domain/shared/page.js';

/**
 * The rows of a page, of which one more was read: if there is one, `next` is the cursor of the next page, after the last
 * row shown.
 *
 * @param cursorOf what the list is ordered by, and then the id
 */
export function shownOf<Row>(
  rows: readonly Row[],
  { limit, list = '' }: PageQuery,
  cursorOf: (row: Row) => Pick<Cursor, 'key' | 'id'>,
): { readonly shown: readonly Row[]; readonly next?: Cursor } {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return last === undefined ? { shown } : { shown, next: { list, ...cursorOf(last) } };
}

/** For `shownOf`, of rows that were selected with `comesAfter`. */
export function cursorOf({ list_key: key, id }: { readonly id: string; readonly list_key: string }) {
  return { key, id };
}

/** The row of a statement that counts a list. */
export type ViewRow = { total: number; viewed_at: Date; newest_change: string };

export const VIEW_COLUMNS = `app_now() AS viewed_at,
  (SELECT last_value::text FROM events_position_seq) AS newest_change`;

/** Counts what there is up to `MOST_COUNTED` and one. @param matching `FROM … WHERE …` */
export function countUpToMost(matching: string): string {
  return `SELECT count(*)::integer AS total, ${VIEW_COLUMNS} FROM (SELECT ${matching} LIMIT ${MOST_COUNTED + 1}) AS counted`;
}

/** With a view that `countUpToMost` gave. */
export function countedPageFrom<Item>(items: readonly Item[], view: ViewRow | undefined): Page<Item> {
  const page = pageFrom(items, view);
  if (page.total <= MOST_COUNTED) return page;
  return { ...page, total: MOST_COUNTED, hasMoreThanTotal: true };
}

export function pageFrom<Item>(items: readonly Item[], view: ViewRow | undefined): Page<Item> {
  if (view === undefined) throw new Error('a statement that counts gives one row');
  return {
    items,
    total: view.total,
    processedSequence: view.newest_change,
    viewedAt: view.viewed_at,
  };
}
