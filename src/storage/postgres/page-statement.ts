// SQL by hand: one statement reads a page of a list and counts the whole list
import { MOST_COUNTED, type Cursor, type Page, type PageQuery } from '../../domain/shared/page.js';
import { LAST_MOMENT, microsecondsOf, momentFrom, requireMoment } from './microseconds.js';
import type { Row, Statement } from './statement.js';

/** The SELECT of a list, and the columns by which it is filtered and ordered. */
interface Listed {
  /** SELECT … FROM … WHERE …; must give `createdAt`. */
  readonly select: string;
  /** How many parameters it has, which come first. */
  readonly taken: number;
  /** The column that orders rows with the same time; `id` by default. */
  readonly id?: string;
  /** The column for the filter and the order by name. Without it, a filter by name matches nothing. */
  readonly name?: string;
  /** Columns with times that the list can also be ordered by; null comes after all times. */
  readonly times?: readonly string[];
  /** Other filters: conditions on columns of the list, given a parameter. */
  readonly filters?: Filters;
  /** The SELECT is expensive: it runs once, for both the page and the count. */
  readonly isCostly?: boolean;
}

export type Filters = Readonly<Record<string, (parameter: string) => string>>;

/** An order of the list. */
interface Order {
  readonly key: string;
  /** The key as text, for a cursor. */
  readonly text: string;
  /** Converts the parameter with a cursor's key to a value that can be compared. */
  readonly read: (parameter: string) => string;
  /** @throws ApiError invalid-argument with a cursor that no answer gave */
  readonly require?: (cursor: Cursor) => void;
}

function byTime(key: string): Order {
  return { key, text: microsecondsOf(key), read: momentFrom, require: requireMoment };
}

const BY_TIME = byTime('"createdAt"');

/** Case-insensitive, in the order of code points (COLLATE "C"): the same on every database, and the order of the indexes. */
function byText(column: string): Order {
  const key = `lower("${column}") COLLATE "C"`;
  return { key, text: key, read: (parameter) => `${parameter}::text` };
}

/**
 * Statements that read one page and count the whole. The count comes with one row even where the page is empty,
 * so that an offset past the end still returns the total. Each order, direction and kind of filter has a statement of
 * its own, which an index can serve.
 */
export class PageStatements {
  private readonly made = new Map<string, Statement>();
  private readonly id: string;

  /** @param name unique in the program */
  constructor(
    private readonly name: string,
    private readonly listed: Listed,
  ) {
    this.id = listed.id ?? 'id';
  }

  /** The parameters after those of the list itself. @throws ApiError invalid-argument with a cursor that no answer gave */
  values({ by, offset, limit, after, name, filters = {} }: PageQuery): unknown[] {
    if (after !== undefined) this.order(by).require?.(after);
    return [
      offset,
      limit,
      ...(after === undefined ? [] : [after.key, after.id]),
      ...(name === undefined ? [] : [name.text, name.match, name.ignoreCase]),
      ...this.filteredBy(filters).map((property) => filters[property]),
    ];
  }

  of(query: PageQuery): Statement {
    const { by, ascending, after, name, filters = {} } = query;
    const variant = [by ?? 'createdAt', ascending ? 'up' : 'down'];
    if (after !== undefined) variant.push('after');
    if (name !== undefined) variant.push('named');
    variant.push(...this.filteredBy(filters));
    const full = [this.name, ...variant].join('-');
    const ready = this.made.get(full) ?? { name: full, text: this.text(query) };
    this.made.set(full, ready);
    return ready;
  }

  /** In the order of their parameters. */
  private filteredBy(filters: NonNullable<PageQuery['filters']>): readonly string[] {
    return Object.keys(this.listed.filters ?? {}).filter((property) => filters[property] !== undefined);
  }

  private order(by: string | undefined): Order {
    if (by === undefined || by === 'createdAt') return BY_TIME;
    if (by === 'name' && this.listed.name !== undefined) return byText(this.listed.name);
    if (this.listed.times?.includes(by) === true) return byTime(`coalesce("${by}", ${LAST_MOMENT})`);
    throw new Error(`${this.name} has no order by ${by}`);
  }

  private text({ by, ascending, after, name, filters = {} }: PageQuery): string {
    const { select, taken, isCostly = false } = this.listed;
    const order = this.order(by);
    const direction = ascending ? 'ASC' : 'DESC';
    const [offset, limit, key, id] = [1, 2, 3, 4].map((n) => `$${taken + n}`);
    const rest =
      after === undefined
        ? ''
        : `WHERE (${order.key}, "${this.id}") ${ascending ? '>' : '<'} (${order.read(key ?? '')}, ${id}::text)`;
    let next = taken + (after === undefined ? 2 : 4);
    const conditions: string[] = [];
    if (name !== undefined) {
      conditions.push(this.isNamed(next));
      next += 3;
    }
    for (const property of this.filteredBy(filters)) {
      next += 1;
      conditions.push(this.listed.filters?.[property]?.(`$${next}`) ?? 'false');
    }
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    return `
    WITH found AS ${isCostly ? '' : 'NOT '}MATERIALIZED (SELECT * FROM (${select}) AS listed ${where}),
    page AS (
      SELECT *, ${order.text} AS page_key, row_number() OVER () AS place FROM (
        SELECT * FROM found ${rest} ORDER BY ${order.key} ${direction}, "${this.id}" ${direction}
        OFFSET ${offset}::bigint LIMIT ${limit}::bigint + 1) AS ordered
    )
    SELECT whole.*, page.* FROM (
      SELECT (SELECT count(*)::integer FROM (SELECT FROM found LIMIT ${MOST_COUNTED + 1}) AS counted) AS page_total,
        app_now() AS page_viewed_at, (SELECT last_value::text FROM events_position_seq) AS page_sequence) AS whole
    LEFT JOIN page ON true ORDER BY page.place`;
  }

  private isNamed(taken: number): string {
    const named = this.listed.name === undefined ? 'NULL::text' : `"${this.listed.name}"`;
    const [text, match, ignoreCase] = [1, 2, 3].map((n) => `$${taken + n}`);
    return `${text}::text IS NOT NULL AND CASE ${match}::text
        WHEN 'equals' THEN CASE WHEN ${ignoreCase} THEN lower(${named}) = lower(${text}) ELSE ${named} = ${text} END
        WHEN 'starts-with' THEN CASE WHEN ${ignoreCase} THEN starts_with(lower(${named}), lower(${text})) ELSE starts_with(${named}, ${text}) END
        ELSE CASE WHEN ${ignoreCase} THEN strpos(lower(${named}), lower(${text})) > 0 ELSE strpos(${named}, ${text}) > 0 END END`;
  }

  page<Item extends Row, Wanted>(
    rows: readonly PageRow<Item>[],
    query: PageQuery,
    read: (row: Item) => Wanted,
  ): Page<Wanted> {
    const [first] = rows;
    if (first === undefined) throw new Error('a page statement gives at least its count');
    const found = rows.filter(({ place }) => place !== null);
    const shown = found.slice(0, query.limit);
    const last = found.length > query.limit ? shown.at(-1) : undefined;
    const isMore = first.page_total > MOST_COUNTED;
    return {
      items: shown.map(read),
      total: isMore ? MOST_COUNTED : first.page_total,
      ...(isMore && { hasMoreThanTotal: true }),
      processedSequence: first.page_sequence,
      viewedAt: first.page_viewed_at,
      ...(last !== undefined && { next: this.after(last, query) }),
    };
  }

  private after(row: PageRow<Row>, { list = '' }: PageQuery): Cursor {
    return { list, key: row.page_key ?? '', id: String(row[this.id]) };
  }
}

/** A filter by the value of a column. */
export function is(column: string): Filters[string] {
  return (parameter) => `"${column}" = ${parameter}::text`;
}

/** A filter by whether a time has passed: `active` before it, any other value after it. */
function endsAt(column: string): Filters[string] {
  return (parameter) => `("${column}" IS NULL OR "${column}" > app_now()) = (${parameter}::text = 'active')`;
}

/** For lists of things that expire at `expiresAt`. */
export const UNTIL_EXPIRY = { times: ['expiresAt'], filters: { state: endsAt('expiresAt') } } as const;

export type PageRow<Item extends Row> = Item & {
  page_total: number;
  page_viewed_at: Date;
  page_sequence: string;
  page_key: string | null;
  place: string | null;
};
