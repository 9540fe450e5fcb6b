import { useFilters } from './filters-in-address.ts';
import { useSorting, type Sorting } from './sorting.tsx';

/** So many are found without filters. */
const FEW = 5;

interface WholeList<Row> {
  readonly name: (row: Row) => string;
  /** What the address may ask for, by the name that it has there. */
  readonly filters: Readonly<Record<string, (row: Row) => string>>;
}

interface ShownOfWhole<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly sorting: Sorting;
  /** There are so many that filters help, or some are filtered out. */
  readonly needsFilters: boolean;
}

const ORDERS = { name: 'name', created: 'created' };
const names = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true });

/**
 * Of a list that is here as a whole, the oldest first, since there can only be a few of its kind: what the address asks for, in
 * its order.
 */
export function useWholeList<Row>(
  all: readonly Row[] | undefined,
  { name, filters }: WholeList<Row>,
): ShownOfWhole<Row> {
  const [asked] = useFilters();
  const { sorting } = useSorting(ORDERS, { oldestFirst: true });
  const words = (asked['search'] ?? '').toLowerCase();
  const isFiltered = words !== '' || Object.keys(filters).some((filter) => (asked[filter] ?? '') !== '');
  const found = all
    ?.filter((row) => name(row).toLowerCase().includes(words))
    .filter((row) =>
      Object.entries(filters).every(
        ([filter, of]) => (asked[filter] ?? '') === '' || of(row) === asked[filter],
      ),
    );
  const rows = sorting.by === 'name' ? found?.toSorted((a, b) => names.compare(name(a), name(b))) : found;
  return {
    rows: sorting.ascending ? rows : rows?.toReversed(),
    sorting,
    needsFilters: isFiltered || (all?.length ?? 0) > FEW,
  };
}
