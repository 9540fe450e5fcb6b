import { Table, UnstyledButton, type TableThProps } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { useFilters } from './filters-in-address.ts';
import { Icon } from './icon.tsx';

/** The order of a list where none is asked for: the newest first, or the oldest. */
export const USUAL = 'created';

/** What a list can be put in order by: a word for the address, and what the API calls it, where it has more than one. */
export type Orders = Readonly<Record<string, string | undefined>>;

/** Of a list that is in the order of time, one way or the other. */
export const IN_TIME: Orders = { created: undefined };

export interface Sorting {
  readonly by: string;
  readonly ascending: boolean;
  /** The order where none is asked for, and whether it goes up: the oldest first. */
  readonly usual: string;
  readonly oldestFirst: boolean;
  readonly onChange: (by: string, ascending: boolean) => void;
}

/** As the API has it. */
export interface Sorted {
  readonly sortingColumn?: string;
  readonly asc: boolean;
}

interface SortingOptions {
  /** Where a page has two lists. */
  readonly parameter?: string;
  readonly oldestFirst?: boolean;
  /** Of a list that is in no order of time. */
  readonly usual?: string;
}

/** The order of a list, as its address has it: `name`, or `-name` for the last first. */
export function useSorting(
  orders: Orders,
  { parameter = 'sort', oldestFirst = false, usual = USUAL }: SortingOptions = {},
): { readonly sorting: Sorting; readonly sorted: Sorted } {
  const [{ [parameter]: asked = '' }, set] = useFilters();
  const word = asked.replace(/^-/, '');
  const isKnown = Object.hasOwn(orders, word);
  const by = isKnown ? word : usual;
  const ascending = isKnown ? !asked.startsWith('-') : oldestFirst;
  const column = orders[by];
  return {
    sorting: {
      by,
      ascending,
      usual,
      oldestFirst,
      onChange: (next, up) => {
        const isUsual = next === usual && up === oldestFirst;
        set({ [parameter]: isUsual ? undefined : `${up ? '' : '-'}${next}` });
      },
    },
    sorted: { ...(column !== undefined && { sortingColumn: column }), asc: ascending },
  };
}

/** The last part of a query's key is its order: while another one is fetched, the rows stay, and with them the focus. */
export function keepWhileSorted(queryKey: QueryKey) {
  return <Data,>(previous: Data | undefined, query: { readonly queryKey: QueryKey } | undefined) => {
    const [before, now] = [query?.queryKey ?? [], queryKey].map((key) => JSON.stringify(key.slice(0, -1)));
    return before === now ? previous : undefined;
  };
}

interface SortButtonProperties {
  readonly sorting: Sorting;
  readonly by: string;
  readonly label: string;
}

/** In the head of a column: its order, the other way round, and then the usual one again. */
export function SortButton({ sorting, by, label }: SortButtonProperties) {
  const isActive = sorting.by === by;
  function turn(): void {
    if (!isActive) sorting.onChange(by, true);
    else if (by === sorting.usual) sorting.onChange(by, !sorting.ascending);
    else if (sorting.ascending) sorting.onChange(by, false);
    else sorting.onChange(sorting.usual, sorting.oldestFirst);
  }
  return (
    <UnstyledButton className="sort" data-active={isActive || undefined} onClick={turn}>
      {label}
      <Icon name={isActive ? (sorting.ascending ? 'up' : 'down') : 'either'} size={14} />
    </UnstyledButton>
  );
}

/** What `aria-sort` says of a column. */
export function sortOf({ by, ascending }: Sorting, column: string): 'ascending' | 'descending' | undefined {
  if (by !== column) return undefined;
  return ascending ? 'ascending' : 'descending';
}

/** A head of a table that is no `List`. */
export function SortHead({ sorting, by, label, ...more }: SortButtonProperties & TableThProps) {
  const order = sortOf(sorting, by);
  return (
    <Table.Th {...more} {...(order !== undefined && { 'aria-sort': order })}>
      <SortButton sorting={sorting} by={by} label={label} />
    </Table.Th>
  );
}
