// SQL by hand: one statement finds a page and counts the whole
import type { Page, PageQuery } from '../../domain/shared/page.js';
import type { Row, Statement } from './statement.js';

/** The columns by which every list is filtered and put in order. */
interface Listed {
  /** SELECT … FROM … WHERE …; must give `createdAt`. */
  readonly select: string;
  /** How many parameters it has, which come first. */
  readonly taken: number;
  /** What decides the order of rows that are as old as each other; `id` by default. */
  readonly id?: string;
  /** By what the list is filtered: without it, nothing is found by a name. */
  readonly name?: string;
}

/**
 * A statement that reads one page and counts the whole. The count comes with one row even where the page is empty,
 * so that an offset past the end still tells how much there is.
 */
export function pageStatement(name: string, { select, taken, id = 'id', ...listed }: Listed): Statement {
  const named = listed.name === undefined ? 'NULL::text' : `"${listed.name}"`;
  const [offset, limit, ascending, text, match, ignoreCase] = [1, 2, 3, 4, 5, 6].map((n) => `$${taken + n}`);
  return {
    name,
    text: `
    WITH found AS (
      SELECT * FROM (${select}) AS listed
      WHERE ${text}::text IS NULL OR CASE ${match}::text
        WHEN 'equals' THEN CASE WHEN ${ignoreCase} THEN lower(${named}) = lower(${text}) ELSE ${named} = ${text} END
        WHEN 'starts-with' THEN CASE WHEN ${ignoreCase} THEN starts_with(lower(${named}), lower(${text})) ELSE starts_with(${named}, ${text}) END
        ELSE CASE WHEN ${ignoreCase} THEN strpos(lower(${named}), lower(${text})) > 0 ELSE strpos(${named}, ${text}) > 0 END END
    ), page AS (
      SELECT *, row_number() OVER () AS place FROM (
        SELECT * FROM found
        ORDER BY CASE WHEN ${ascending}::boolean THEN "createdAt" END, CASE WHEN ${ascending} THEN "${id}" END,
          CASE WHEN NOT ${ascending} THEN "createdAt" END DESC, CASE WHEN NOT ${ascending} THEN "${id}" END DESC
        OFFSET ${offset}::bigint LIMIT ${limit}::bigint) AS ordered
    )
    SELECT whole.*, page.* FROM (
      SELECT (SELECT count(*)::integer FROM found) AS page_total, app_now() AS page_viewed_at,
        (SELECT last_value::text FROM events_position_seq) AS page_sequence) AS whole
    LEFT JOIN page ON true ORDER BY page.place`,
  };
}

export function pageValues({ offset, limit, ascending, name }: PageQuery): unknown[] {
  return [offset, limit, ascending, name?.text ?? null, name?.match ?? null, name?.ignoreCase ?? false];
}

export type PageRow<Item extends Row> = Item & {
  page_total: number;
  page_viewed_at: Date;
  page_sequence: string;
  place: string | null;
};

export function pageOf<Item extends Row, Wanted>(
  rows: readonly PageRow<Item>[],
  read: (row: Item) => Wanted,
): Page<Wanted> {
  const [first] = rows;
  if (first === undefined) throw new Error('a page statement gives at least its count');
  return {
    items: rows.filter(({ place }) => place !== null).map(read),
    total: first.page_total,
    processedSequence: first.page_sequence,
    viewedAt: first.page_viewed_at,
  };
}
