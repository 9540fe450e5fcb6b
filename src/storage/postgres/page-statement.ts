// SQL by hand: one statement finds a page and counts the whole
import type { Page, PageQuery } from '../../domain/shared/page.js';
import type { Row, Statement } from './statement.js';

/** The columns by which every list is filtered and put in order. */
interface Listed {
  /** SELECT … FROM … WHERE …, with parameters from $7 on; must give `id`, `created_at` and, for filters, `name`. */
  readonly select: string;
}

/**
 * A statement that reads one page and counts the whole. The count comes with one row even where the page is empty,
 * so that an offset past the end still tells how much there is.
 */
export function pageStatement(name: string, { select }: Listed): Statement {
  return {
    name,
    text: `
    WITH found AS (
      SELECT * FROM (${select}) AS listed
      WHERE $4::text IS NULL OR CASE $5::text
        WHEN 'equals' THEN CASE WHEN $6 THEN lower(name) = lower($4) ELSE name = $4 END
        WHEN 'starts-with' THEN CASE WHEN $6 THEN starts_with(lower(name), lower($4)) ELSE starts_with(name, $4) END
        ELSE CASE WHEN $6 THEN strpos(lower(name), lower($4)) > 0 ELSE strpos(name, $4) > 0 END END
    ), page AS (
      SELECT *, row_number() OVER () AS place FROM (
        SELECT * FROM found
        ORDER BY CASE WHEN $3::boolean THEN created_at END, CASE WHEN $3 THEN id END,
          CASE WHEN NOT $3 THEN created_at END DESC, CASE WHEN NOT $3 THEN id END DESC
        OFFSET $1::bigint LIMIT $2::bigint) AS ordered
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
