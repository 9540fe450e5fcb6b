import { useInfiniteQuery, type InfiniteData, type QueryKey } from '@tanstack/react-query';

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
}

interface CursorPage<Row> {
  readonly result: readonly Row[];
  readonly nextCursor?: string | undefined;
  readonly total: number;
  readonly hasMoreThanTotal?: unknown;
}

/** Of a list that says where its next page begins. */
export function usePagesByCursor<Row>(
  queryKey: QueryKey,
  find: (cursor: string | undefined) => Promise<CursorPage<Row>>,
): Pages<Row> {
  const list = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam }) => await find(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const first = list.data?.pages[0];
  return {
    rows: list.data?.pages.flatMap(({ result }) => result),
    error: list.error,
    onRetry: () => void list.refetch(),
    total: first?.total,
    isMoreThanTotal: first?.hasMoreThanTotal === true,
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    onMore: () => void list.fetchNextPage(),
  };
}

export interface OffsetPage<Row> {
  readonly result?: readonly Row[];
  readonly details: { readonly totalResult?: string; readonly hasMoreThanTotal?: boolean };
}

/** Which part of such a list is asked for. */
export interface OffsetQuery {
  readonly limit: number;
  readonly offset: number;
}

/** As it stands in an address, where everything is text. */
export function pageInAddress({ limit, offset }: OffsetQuery) {
  return { limit: String(limit), offset: String(offset) };
}

/** All of such a list, for what has to be known of the whole. */
export async function wholeOf<Row>(find: (page: OffsetQuery) => Promise<OffsetPage<Row>>): Promise<Row[]> {
  const limit = 1000;
  const rows: Row[] = [];
  for (;;) {
    const { result = [] } = await find({ limit, offset: rows.length });
    rows.push(...result);
    if (result.length < limit) return rows;
  }
}

interface OffsetOptions<Row> {
  readonly limit?: number;
  /** Again by itself, depending on what is shown. */
  readonly refetchInterval?: (query: {
    readonly state: {
      readonly data: InfiniteData<OffsetPage<Row>, number> | undefined;
      readonly error: Error | null;
    };
  }) => number | false;
}

/** Of a list that is asked for so many from the nth on. */
export function usePagesByOffset<Row>(
  queryKey: QueryKey,
  find: (page: OffsetQuery) => Promise<OffsetPage<Row>>,
  { limit = 50, refetchInterval }: OffsetOptions<Row> = {},
): Pages<Row> {
  const list = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam }) => await find({ limit, offset: pageParam }),
    initialPageParam: 0,
    getNextPageParam: (last: OffsetPage<Row>, all: readonly unknown[]) =>
      (last.result?.length ?? 0) === limit ? all.length * limit : undefined,
    ...(refetchInterval !== undefined && { refetchInterval }),
  });
  return {
    rows: list.data?.pages.flatMap(({ result = [] }) => result),
    error: list.error,
    onRetry: () => void list.refetch(),
    total: list.data?.pages[0]?.details.totalResult ?? '0',
    isMoreThanTotal: list.data?.pages[0]?.details.hasMoreThanTotal === true,
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    onMore: () => void list.fetchNextPage(),
  };
}
