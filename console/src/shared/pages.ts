import { useInfiniteQuery, type InfiniteData, type QueryKey } from '@tanstack/react-query';
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
}

/** Of a list that says where its next page begins. */
export function usePagesByCursor<Row>(
  queryKey: QueryKey,
  find: (cursor: string | undefined) => Promise<CursorPage<Row>>,
  { sorted, refetchInterval }: CursorOptions<Row> = {},
): Pages<Row> {
  const key = [...queryKey, sorted ?? null];
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam }) => await find(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepWhileSorted(key),
    ...(refetchInterval !== undefined && { refetchInterval }),
  });
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

/** The same for a list that is asked for parts of it alone. */
export function usePages<Row>(
  queryKey: QueryKey,
  find: (page: PagePart) => Promise<CursorPage<Row>>,
  options: CursorOptions<Row> = {},
): Pages<Row> {
  return usePagesByCursor(queryKey, async (cursor) => await find(partOf(50, cursor)), options);
}
