import { useInfiniteQuery, type InfiniteData, type QueryKey } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { every } from '../app/queries.ts';
import { partOf, type CursorPage, type PagePart } from './page-parts.ts';
import { keepWhileSorted, type Sorted } from './sorting.tsx';

/** Rows that come a page after the other, as `List` shows them. */
export interface Pages<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly total: string | number | undefined;
  readonly isMoreThanTotal: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly onMore: () => void;
  /** The rows are still in the order before. */
  readonly isSorting?: boolean;
}

interface CursorOptions<Row> {
  /** While the rows of another order are fetched, the present ones stay. */
  readonly sorted?: Sorted;
  /** Again by itself, depending on what is shown. */
  readonly refetchInterval?: (query: {
    readonly state: {
      readonly data: InfiniteData<CursorPage<Row>, string | undefined> | undefined;
      readonly error: Error | null;
    };
  }) => number | false;
  readonly isEnabled?: boolean;
  /** In place of an interval, where something else tells how the list grows. */
  readonly growth?: Growth;
}

interface Growth {
  readonly isOngoing: boolean;
  /** Of what the list has rows of. */
  readonly count: number;
}

const GROWS_MS = 3000;

/** While a list grows: again by itself, as long as its first page stands alone. With each further page it would ask for more. */
function whileOnePage(query: {
  readonly state: {
    readonly data: { readonly pages: readonly unknown[] } | undefined;
    readonly error: Error | null;
  };
}): number | false {
  return (query.state.data?.pages.length ?? 0) <= 1 && every(GROWS_MS)(query);
}

/** Of a list that says where its next page begins. */
export function usePagesByCursor<Row>(
  queryKey: QueryKey,
  find: (cursor: string | undefined) => Promise<CursorPage<Row>>,
  { sorted, refetchInterval, isEnabled = true, growth }: CursorOptions<Row> = {},
): Pages<Row> {
  const key = [...queryKey, sorted ?? null];
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam }) => await find(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepWhileSorted(key),
    enabled: isEnabled,
    ...(refetchInterval !== undefined && { refetchInterval }),
    ...(growth?.isOngoing === true && { refetchInterval: whileOnePage }),
  });
  useLastLook(isEnabled, growth, list.refetch);
  const first = list.data?.pages[0];
  return {
    rows: list.data?.pages.flatMap(({ result = [] }) => result),
    error: list.error,
    onRetry: () => void list.refetch(),
    total: first?.total ?? first?.details?.totalResult ?? '0',
    isMoreThanTotal: first?.hasMoreThanTotal === true || first?.details?.hasMoreThanTotal === true,
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    onMore: () => void list.fetchNextPage(),
    isSorting: list.isPlaceholderData,
  };
}

/** Once more when the list has stopped growing, and after whatever was still under way then. */
function useLastLook(isEnabled: boolean, growth: Growth | undefined, refetch: () => unknown): void {
  const isGrown = growth?.isOngoing === false;
  const told = `${String(isGrown)} ${growth?.count ?? 0}`;
  const known = useRef(told);
  useEffect(() => {
    if (known.current === told) return;
    known.current = told;
    if (isGrown && isEnabled) void refetch();
  }, [told, isGrown, isEnabled, refetch]);
}

/** The same for a list that is asked for parts of it alone. */
export function usePages<Row>(
  queryKey: QueryKey,
  find: (page: PagePart) => Promise<CursorPage<Row>>,
  options: CursorOptions<Row> = {},
): Pages<Row> {
  return usePagesByCursor(queryKey, async (cursor) => await find(partOf(50, cursor)), options);
}
