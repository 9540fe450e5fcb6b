import type { Sorted } from './sorting.tsx';

const PAGE = 50;

export interface ListSearch {
  /** In the name. */
  readonly search?: string | undefined;
  readonly sorted?: Sorted;
  readonly cursor?: string | undefined;
  readonly limit?: number;
}

/** The part of a search that all lists have: a page, in an order. */
export function pageOf({ cursor, limit = PAGE, sorted = { asc: true } }: ListSearch) {
  return { limit, asc: sorted.asc, ...(cursor !== undefined && cursor !== '' && { cursor }) };
}

/** What has these letters in its name. */
export function named(search = '') {
  return search === ''
    ? []
    : [{ nameQuery: { name: search, method: 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE' as const } }];
}

/** The order that a list is asked for in. */
export function orderOf<Column extends string>({ sorted }: ListSearch): { readonly sortingColumn?: Column } {
  return sorted?.sortingColumn === undefined ? {} : { sortingColumn: sorted.sortingColumn as Column };
}

/** One of a few, where the address names one that there is. */
export function chosen<Choice extends string>(
  value: string | undefined,
  choices: Readonly<Record<Choice, unknown>>,
): Choice | undefined {
  return value !== undefined && Object.hasOwn(choices, value) ? (value as Choice) : undefined;
}

/** The same of a list that is asked for by an address, where everything is text. */
export function inQuery<Column extends string>({
  search = '',
  cursor,
  limit = PAGE,
  sorted = { asc: true },
}: ListSearch) {
  return {
    limit: String(limit),
    asc: sorted.asc ? ('true' as const) : ('false' as const),
    ...(cursor !== undefined && { cursor }),
    ...(search !== '' && { search }),
    ...orderOf<Column>({ sorted }),
  };
}
