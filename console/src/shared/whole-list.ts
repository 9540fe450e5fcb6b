import { useFilters } from './filters-in-address.ts';
import { useSorting, USUAL, type Orders, type Sorting } from './sorting.tsx';

/** So many are found without filters. */
const FEW = 5;

interface WholeList<Row> {
  readonly name: (row: Row) => string;
  /** What the address may ask for, by the name that it has there. */
  readonly filters: Readonly<Record<string, (row: Row) => string>>;
}

interface ShownOfWhole<Row> extends SortedRows<Row> {
  /** There are so many that filters help, or some are filtered out. */
  readonly needsFilters: boolean;
}

const names = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true });

/** What a row is put in order by; what has none comes last. */
type Key = string | number | undefined;

interface SortedOptions {
  /** Where a page has two lists. */
  readonly parameter?: string;
  /** As they come, the first is the oldest. */
  readonly oldestFirst?: boolean;
}

interface SortedRows<Row> {
  readonly rows: readonly Row[] | undefined;
  /** Undefined where there is nothing to put in order. */
  readonly sorting: Sorting | undefined;
}

/** Of a list that is here as a whole: its rows in the order that the address asks for, or as they come. */
export function useSortedRows<Row>(
  all: readonly Row[] | undefined,
  keys: Readonly<Record<string, (row: Row) => Key>>,
  { parameter = 'sort', oldestFirst = false }: SortedOptions = {},
): SortedRows<Row> {
  const orders: Orders = {
    ...Object.fromEntries(Object.keys(keys).map((name) => [name, name])),
    [USUAL]: USUAL,
  };
  const { sorting } = useSorting(orders, { parameter, oldestFirst });
  const key = keys[sorting.by];
  const isAsked = sorting.by !== USUAL || sorting.ascending !== oldestFirst;
  return {
    rows: key === undefined ? inTime(all, sorting) : all && inOrder(all, key, sorting.ascending),
    sorting: isAsked || (all?.length ?? 0) > 1 ? sorting : undefined,
  };
}

function inTime<Row>(all: readonly Row[] | undefined, { ascending, oldestFirst }: Sorting) {
  return ascending === oldestFirst ? all : all?.toReversed();
}

function inOrder<Row>(all: readonly Row[], key: (row: Row) => Key, ascending: boolean): readonly Row[] {
  const [having, lacking] = [
    all.filter((row) => key(row) !== undefined),
    all.filter((row) => key(row) === undefined),
  ];
  const sorted = having.toSorted((one, other) => compare(key(one), key(other)));
  return [...(ascending ? sorted : sorted.toReversed()), ...lacking];
}

function compare(one: Key, other: Key): number {
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : names.compare(String(one), String(other));
}

/** A time of an answer, to be put in order by. */
export function timeOf(at: string | undefined): number | undefined {
  return at === undefined ? undefined : new Date(at).getTime();
}

/**
 * Of a list that is here as a whole, the oldest first, since there can only be a few of its kind: what the address asks for, in
 * its order.
 */
export function useWholeList<Row>(
  all: readonly Row[] | undefined,
  { name, filters }: WholeList<Row>,
): ShownOfWhole<Row> {
  const [asked] = useFilters();
  const words = (asked['search'] ?? '').toLowerCase();
  const isFiltered = words !== '' || Object.keys(filters).some((filter) => (asked[filter] ?? '') !== '');
  const found = all
    ?.filter((row) => name(row).toLowerCase().includes(words))
    .filter((row) =>
      Object.entries(filters).every(
        ([filter, of]) => (asked[filter] ?? '') === '' || of(row) === asked[filter],
      ),
    );
  return {
    ...useSortedRows(found, { name }, { oldestFirst: true }),
    needsFilters: isFiltered || (all?.length ?? 0) > FEW,
  };
}
